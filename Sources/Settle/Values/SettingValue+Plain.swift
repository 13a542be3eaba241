extension SettingValue {
    /// The value, if it has the asked type as it stands; `nil` means that a conversion has to decide.
    ///
    /// The types are compared one by one because a read by key should not cost a cast through `Any` for the usual ones.
    func plain<Value>(as type: Value.Type) -> Value? {
        switch self {
        case .integer(let integer) where type == Int.self: Int(exactly: integer) as? Value
        case .string(let string) where type == String.self: string as? Value
        case .bool(let bool) where type == Bool.self: bool as? Value
        case .real(let real) where type == Double.self: real as? Value
        default: nil
        }
    }
}
