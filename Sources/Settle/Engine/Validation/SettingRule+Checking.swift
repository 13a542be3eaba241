extension Array {
    /// Throws an error that names the key, the value and the first rule that the value breaks.
    func check<Value>(_ value: Value, key: SettingKey) throws(SettingsError) where Element == SettingRule<Value> {
        for rule in self where !rule.terms.accepts(value) {
            throw .invalidValue(key: key, value: Redacted(typed: value), rule: rule.terms.words)
        }
    }
}
