/// Which values are objects that an archive may share, and what is in them.
extension ArchivedValue {
    /// The longest string, data or URL, in bytes, that stands for itself in each place where the archive refers to it.
    /// Longer ones are shared, so that an archive does not expand to much more than it stores.
    static let shortSize = 256

    /// The bytes of its text or data.
    var size: Int {
        switch self {
        case .string(let text, _): text.utf8.count
        case .data(let data, _): data.count
        case .url(let text, let base): text.utf8.count + (base?.utf8.count ?? 0)
        default: 0
        }
    }

    /// Whether two equal values of this kind may be different objects. Those that are mutable differ once one of them
    /// has changed.
    var hasIdentity: Bool {
        switch self {
        case .null, .bool, .integer, .real, .number, .date, .uuid, .reference: false
        case .string(_, let isMutable), .data(_, let isMutable): isMutable || size > Self.shortSize
        case .url: size > Self.shortSize
        case .array, .set, .orderedSet, .dictionary, .object: isContainer
        }
    }

    /// Whether it is a collection or an object of a program, which may have values in it.
    var isContainer: Bool {
        switch self {
        case .array, .set, .orderedSet, .dictionary: true
        case .object(let object): !object.isNull
        default: false
        }
    }

    /// The values in it, in the order of the archive.
    var elements: [ArchivedValue] {
        switch self {
        case .array(let elements, _), .set(let elements, _), .orderedSet(let elements, _): elements
        case .dictionary(let entries, _): entries.flatMap { [$0.key, $0.value] }
        case .object(let object): object.fields.all.map(\.value)
        default: []
        }
    }

    /// Returns the value with other values in it.
    func mapElements(
        _ transform: (ArchivedValue) throws(ArchiveError) -> ArchivedValue
    ) throws(ArchiveError) -> ArchivedValue {
        switch self {
        case .array(let elements, let isMutable): return .array(try elements.map(transform), isMutable: isMutable)
        case .set(let elements, let isMutable): return .set(try elements.map(transform), isMutable: isMutable)
        case .orderedSet(let elements, let isMutable):
            return .orderedSet(try elements.map(transform), isMutable: isMutable)
        case .dictionary(let entries, let isMutable):
            let mapped = try entries.map { (entry) throws(ArchiveError) in
                ArchivedEntry(key: try transform(entry.key), value: try transform(entry.value))
            }
            return .dictionary(mapped, isMutable: isMutable)
        case .object(var object):
            object.fields = try object.fields.mapValues(transform)
            return .object(object)
        default: return self
        }
    }
}

extension ArchivedObject {
    /// Whether it is `NSNull`, of which there is only one.
    var isNull: Bool { className == FoundationClass.null.rawValue && fields.all.isEmpty }
}
