/// Properties that only some declarations have, in a separate object so that the others take no memory for them.
final class SettingDetails: Sendable {
    let title: String?
    let help: String?
    let unit: String?
    let hasOwnCodec: Bool
    let storage: SettingStorage

    /// - Returns: `nil` if there are none.
    init?(
        title: String?, help: String?, unit: String?, hasOwnCodec: Bool = false, storage: SettingStorage = .settings
    ) {
        if title == nil, help == nil, unit == nil, !hasOwnCodec, storage == .settings { return nil }
        (self.title, self.help, self.unit, self.hasOwnCodec) = (title, help, unit, hasOwnCodec)
        self.storage = storage
    }
}
