extension SettingValue {
    /// The value, if it has the asked type as it stands; `nil` means that a conversion has to decide.
    ///
    /// The types are compared one by one, and inlined into the caller, because a read by key should not cost a cast through
    /// `Any` for the usual ones.
    @inlinable
    func plain<Value>(as type: Value.Type) -> Value? {
        switch self {
        case .integer(let integer):
            if type == Int.self, let integer = Int(exactly: integer) { return integer as? Value }
        case .string(let string):
            if type == String.self { return string as? Value }
        case .bool(let bool):
            if type == Bool.self { return bool as? Value }
        case .real(let real):
            if type == Double.self { return real as? Value }
        default: break
        }
        return nil
    }
}
