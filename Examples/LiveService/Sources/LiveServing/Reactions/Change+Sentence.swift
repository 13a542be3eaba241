import Settle

extension Change {
    /// Who changed what from what to what, in words; `nil` if nothing did. Of a secret it says only that it was changed.
    var sentence: String? {
        guard !mutations.isEmpty else { return nil }
        let verb = origin == .reset ? "reset" : "changed"
        return "\(subject) \(verb) \(mutations.map(\.words).joined(separator: ", ")) (revision \(revision))"
    }

    private var subject: String {
        switch (origin, author) {
        case (.external, let author?): "\(author), in another process,"
        case (.external, nil): "Someone who edited the file"
        case (_, let author?): author
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
