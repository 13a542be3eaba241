extension SettingsError {
    /// The individual errors, if this error stands for several: the refused writes of an `update` or `commit`, up to
    /// 100 of them; the declarations of a group that can't be used; or the keys that were not exported or imported.
    /// Empty in any other error.
    public var problems: [SettingsError] { (underlying as? Problems)?.all ?? [] }

    static func several(_ code: Code, _ beginning: String, _ problems: [SettingsError]) -> SettingsError {
        let sentences = [beginning] + problems.map(\.description)
        return SettingsError(
            code, sentences.joined(separator: " "), key: problems.count == 1 ? problems[0].key : nil,
            underlying: Problems(all: problems))
    }

    /// The refused writes of an `update`, as one error; `nil` if there are none.
    ///
    /// - Parameter further: How many more writes were refused.
    static func refused(_ errors: [SettingsError], and further: Int = 0) -> SettingsError? {
        together(errors, and: further, "\(errors.count + further) writes were refused, so nothing is written.") {
            $0.hasSuffix(oldValueStays) ? String($0.dropLast(oldValueStays.count)) : $0
        }
    }

    /// The problems of a group's declarations, as one error; `nil` if there are none.
    static func unusable(_ group: String, _ errors: [SettingsError]) -> SettingsError? {
        together(errors, and: 0, "\(group) has \(errors.count) declarations that can't be used.") { $0 }
    }

    private static func together(
        _ errors: [SettingsError], and further: Int, _ heading: @autoclosure () -> String, sentence: (String) -> String
    ) -> SettingsError? {
        guard var error = errors.first else { return nil }
        guard errors.count > 1 else { return error }
        error.underlying = Problems(all: errors)
        let sentences = errors.map { sentence($0.description) } + (further > 0 ? ["And \(further) more."] : [])
        error.description = "\(heading()) \(sentences.joined(separator: " "))"
        return error
    }

    private struct Problems: Error {
        let all: [SettingsError]
    }

    static let fileIsBehind = SettingsError(
        .storage,
        "Everything is saved in the journal, but the readable file could not be updated: it is being "
            + "edited, or can't be read.")
}
