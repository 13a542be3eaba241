/// The changes stored since the token of a conditional commit.
public struct CommitConflict: Error, Sendable, Hashable, Codable {
    /// The changed keys, sorted; empty if they are not known.
    public var keys: [String]
    /// The token of the newest of these changes; `nil` if it has not been appended yet, or if the changes are not
    /// known.
    public var token: ChangeToken?
    /// The author of the newest of these changes; `nil` if the changes are not known.
    public var author: TransactionAuthor?

    /// Creates a conflict.
    public init(keys: [String], token: ChangeToken?, author: TransactionAuthor?) {
        self.keys = keys
        self.token = token
        self.author = author
    }
}

extension SettingsError {
    /// The conflicting changes, if a conditional commit was refused because of them.
    public var conflict: CommitConflict? { underlying as? CommitConflict }

    static func conflict(_ conflict: CommitConflict) -> SettingsError {
        let (shown, further) = (conflict.keys.prefix(keyLimit), conflict.keys.count - keyLimit)
        let keys = shown.map(quoted).joined(separator: ", ") + (further > 0 ? " and \(further) more" : "")
        let author = conflict.author.map { ", last by \($0)" } ?? ""
        let place = conflict.token.map { ", at the token \($0)" } ?? ""
        return SettingsError(
            .conflict,
            "The commit did not begin, because these keys have changed since the given token: "
                + "\(keys)\(author)\(place).",
            key: conflict.keys.count == 1 ? conflict.keys[0] : nil, underlying: conflict)
    }

    /// - Parameter reason: The reason why the changes stored since then are not known.
    static func unknownConflict(_ reason: SettingsError) -> SettingsError {
        SettingsError(
            .conflict,
            "The commit did not begin, because the changes since the given token are not known: \(reason)",
            underlying: CommitConflict(keys: [], token: nil, author: nil))
    }

    /// The maximum number of keys that a sentence names.
    private static let keyLimit = 8
}
