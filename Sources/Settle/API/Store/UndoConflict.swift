/// A key that was not put back, because it has changed since the transaction that was to be undone.
public struct UndoConflict: Sendable, Hashable, Codable {
    /// The full key.
    public var key: String
    /// The value that the transaction had replaced, which the undo would have put back; `nil` if nothing was stored.
    public var oldValue: SettingValue?
    /// The value that the transaction had left; `nil` if there was none.
    public var valueThen: SettingValue?
    /// The value that is stored now, or about to be; `nil` if there is none.
    public var valueNow: SettingValue?
}

extension UndoConflict: CustomStringConvertible {
    /// A description such as `limit: was 5, is 7 now`.
    public var description: String { "\(key): was \(spelled(valueThen)), is \(spelled(valueNow)) now" }

    private func spelled(_ value: SettingValue?) -> String {
        value.map { Redacted($0, isSecret: false).literal } ?? "not stored"
    }
}
