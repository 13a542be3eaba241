import Settle

/// Everything that a program can print of a value.
func printed(_ value: Any) -> String {
    var text = "\(value) \(String(describing: value)) \(String(reflecting: value)) "
    dump(value, to: &text)
    if let error = value as? SettingsError, let underlying = error.underlying { text += printed(underlying) }
    return text
}
