extension SettingKey {
    /// - Parameter name: The subject of the error, such as `PasscodeSettings.attemptCount`.
    func check(for name: String) throws(SettingsError) {
        guard !hasEmptyName else {
            throw SettingsError(
                .invalidKey,
                "“\(self)” of \(name) can't be a key: it and each of its parts between dots must not be empty.",
                key: description)
        }
        guard !MigrationRecord.has(self) else {
            throw SettingsError(
                .invalidKey, "“\(self)” of \(name) can't be a key: “\(parents.first ?? self)” is reserved.",
                key: description)
        }
        guard depth <= SettingValue.depthLimit else {
            throw SettingsError(
                .invalidKey, "“\(self)” of \(name) can't be a key: it has more than \(SettingValue.depthLimit) parts.",
                key: description)
        }
    }
}
