extension Array {
    /// Throws an error that names the key, the value and the first rule that the value breaks.
    func check<Value>(_ value: Value, key: SettingKey) throws(SettingsError) where Element == SettingRule<Value> {
        for rule in self where !rule.terms.accepts(value) {
            let isSecret = Value.self is any SecretValue.Type
            throw .invalidValue(key: key, value: isSecret ? nil : value, rule: rule.terms.words)
        }
    }
}
