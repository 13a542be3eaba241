import Settle

extension SettingValue {
    /// The name of the type in `defaults read-type`.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .real, .number: "float"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}

extension SettingValue.Entries {
    func keeping(_ isKept: (String, SettingValue) -> Bool) -> Self {
        Self(uniqueKeysWithValues: filter { isKept($0.key, $0.value) }.map { ($0.key, $0.value) })
    }
}
