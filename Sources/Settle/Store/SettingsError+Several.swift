extension SettingsError {
    /// What was wrong with each key, if this error stands for several.
    public var problems: [SettingsError] { (underlying as? Problems)?.all ?? [] }

    static func several(_ code: Code, _ beginning: String, _ problems: [SettingsError]) -> SettingsError {
        let sentences = [beginning] + problems.map(\.description)
        return SettingsError(
            code, sentences.joined(separator: " "), key: problems.count == 1 ? problems[0].key : nil,
            underlying: Problems(all: problems))
    }

    private struct Problems: Error {
        let all: [SettingsError]
    }

    static let fileIsBehind = SettingsError(
        .storage,
        "Everything is saved in the journal, but the readable file could not be brought up to date: what stands there is being "
            + "edited, or can't be read.")
}
