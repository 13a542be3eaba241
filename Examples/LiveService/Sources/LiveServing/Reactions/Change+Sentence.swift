import Settle

extension Change {
    /// A sentence with author, keys, old and new values; `nil` if nothing changed. Secrets show no values.
    var sentence: String? {
        guard !mutations.isEmpty else { return nil }
        let verb = origin == .reset ? "reset" : "changed"
        let place = revision.map { " (revision \($0))" } ?? ""
        return "\(subject) \(verb) \(mutations.map(\.words).joined(separator: ", "))\(place)"
    }

    private var subject: String {
        switch (origin, author) {
        case (.external, let author?): "\(author), in another process,"
        case (.external, nil): "Someone who edited the file"
        case (_, let author?): author
        case (.managed, nil), (.arguments, nil), (.environment, nil), (.secrets, nil), (.domain, nil):
            "The domain \(origin.rawValue)"
        case (_, nil): "The service"
        }
    }
}

extension Mutation {
    fileprivate var words: String {
        guard !isSecret else { return key }
        return "\(key) from \((oldStoredValue ?? .null).jsonText) to \((newStoredValue ?? .null).jsonText)"
    }
}
