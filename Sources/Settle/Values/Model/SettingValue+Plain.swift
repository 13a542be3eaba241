extension SettingValue {
    /// The value, if it has the requested type already; `nil` means that it needs a conversion.
    ///
    /// Compares the types one by one, inlined into the caller, so that a read by key of a common type needs no cast
    /// through `Any`.
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
