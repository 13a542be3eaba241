/// The author of what has a named one among some transactions.
enum NamedAuthor: Sendable, Equatable {
    case nobody
    case one(String)
    /// More than one, or not known.
    case several

    init(_ name: String?) { self = name.map { .one($0) } ?? .nobody }

    var name: String? { if case .one(let name) = self { name } else { nil } }

    mutating func add(_ other: NamedAuthor) {
        switch (self, other) {
        case (_, .nobody): break
        case (.nobody, _): self = other
        default: if self != other { self = .several }
        }
    }
}
