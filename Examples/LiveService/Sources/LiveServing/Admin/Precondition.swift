import Hummingbird
import Settle

/// What a change builds on: places in the file's history, of which one is to be the newest as far as the change's keys
/// are concerned.
enum Precondition: Sendable, Hashable {
    /// Nothing in particular.
    case none
    /// Any of these. Places that the client made up are none.
    case unchanged(since: [ChangeToken])

    /// The request names no place that there has ever been.
    struct NoPlace: Error {}

    /// - Throws: ``ServiceError`` with 400 for what HTTP does not allow.
    init(ifMatch field: String?) throws {
        switch field.map(EntityTags.init) {
        case nil, .some(.some(.any)): self = .none
        case .some(.some(.tags(let tags))):
            // The tags of this service are strong.
            self = .unchanged(since: tags.filter { !$0.isWeak }.compactMap { ChangeToken($0.text) })
        case .some(.none):
            throw ServiceError(.badRequest, "If-Match is * or a list of entity tags, which are in quotation marks.")
        }
    }
}

extension ChangeToken {
    /// The place as an entity tag.
    var entityTag: String { "\"\(self)\"" }
}
