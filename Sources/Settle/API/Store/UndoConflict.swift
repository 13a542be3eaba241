/// A key that was not put back, because it has changed since the transaction that was to be undone.
public struct UndoConflict: Sendable, Hashable, Codable {
    /// The full key.
    public var key: String
    /// What the transaction had replaced, which the undo would have put back; `nil` if nothing was stored.
    public var oldValue: SettingValue?
    /// What the transaction had left there; `nil` if nothing.
    public var valueThen: SettingValue?
    /// What is stored now, or about to be; `nil` if nothing.
    public var valueNow: SettingValue?
}

extension UndoConflict: CustomStringConvertible {
    /// Such as `limit: was 5, is 7 now`.
    public var description: String { "\(key): was \(spelled(valueThen)), is \(spelled(valueNow)) now" }

    private func spelled(_ value: SettingValue?) -> String {
        value.map { Redacted($0, isSecret: false).literal } ?? "not stored"
    }
}
