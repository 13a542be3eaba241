import Settle

/// The entity tag of a representation: the token in the store's history that its values are not older than, and a
/// digest of its bytes.
///
/// The token lets a change be refused if something has been stored since. The digest distinguishes representations with
/// the same token, since values of other domains, and unsaved ones, have none.
struct EntityTag: Sendable, Hashable {
    let token: ChangeToken?
    let digest: String
    /// The text between the quotation marks.
    let text: String

    init(_ token: ChangeToken?, of body: [UInt8]) {
        self.token = token
        digest = Fingerprint.of(body)
        text = "\(token.map { "\($0)" } ?? "")~\(digest)"
    }

    /// The value of the field `ETag`.
    var field: String { "\"\(text)\"" }

    /// Returns the token in the text of a tag, or in an event's identifier, which is only a token.
    static func token(in text: String) -> ChangeToken? {
        ChangeToken(String(text.prefix { $0 != "~" }))
    }

    /// Returns the digest in the text of a tag without a token.
    static func digest(in text: String) -> String? {
        text.hasPrefix("~") ? String(text.dropFirst()) : nil
    }
}
