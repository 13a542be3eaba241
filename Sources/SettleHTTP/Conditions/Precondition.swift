import Settle

/// The values that a change builds on: tokens of the history, after one of which nothing may have changed, as far as
/// the change's keys are concerned.
enum Precondition: Sendable, Hashable {
    /// None.
    case none
    /// Any of these. Tokens that the client has made up are left out, so the list may be empty: that is never met.
    case unchanged(since: [ChangeToken])
    /// The representation has one of these digests: the client has read it while there was no token. Never met once
    /// something has been stored.
    case unchangedContents([String])

    /// - Parameter field: The value of `If-Match`, if the request has one.
    /// - Throws: ``Problem`` for a value that HTTP does not allow.
    init(ifMatch field: String?) throws(Problem) {
        guard let field else {
            self = .none
            return
        }
        switch EntityTags(field) {
        case .any?: self = .none
        // The tags of this API are strong, so a weak one can't match.
        case .tags(let tags)?:
            let texts = tags.filter { !$0.isWeak }.map(\.text)
            let tokens = texts.compactMap { EntityTag.token(in: $0) }
            let digests = texts.compactMap { EntityTag.digest(in: $0) }
            self = tokens.isEmpty && !digests.isEmpty ? .unchangedContents(digests) : .unchanged(since: tokens)
        case nil:
            throw Problem(.invalidRequest, "If-Match is * or a list of entity tags, which are in quotation marks.")
        }
    }
}

/// Whether a client has the current representation already.
struct Freshness: Sendable {
    private let tags: EntityTags?

    /// - Parameter field: The value of `If-None-Match`, if the request has one.
    /// - Throws: ``Problem`` for a value that HTTP does not allow.
    init(ifNoneMatch field: String?) throws(Problem) {
        guard let field else {
            tags = nil
            return
        }
        guard let tags = EntityTags(field) else {
            throw Problem(
                .invalidRequest, "If-None-Match is * or a list of entity tags, which are in quotation marks.")
        }
        self.tags = tags
    }

    /// Whether the client has the representation with a tag. Tags are compared weakly, as RFC 9110 says.
    func includes(_ tag: EntityTag) -> Bool {
        switch tags {
        case nil: false
        case .any?: true
        case .tags(let tags)?: tags.contains { $0.text.hasSameBytes(as: tag.text) }
        }
    }
}
