import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value of a keyed archive, read without the classes that made it.
public indirect enum ArchivedValue: Sendable, Hashable {
    /// `nil`, or `NSNull` in a collection.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A number that neither `integer` nor `real` holds exactly, as a decimal literal; also of `NSDecimalNumber`.
    case number(String)
    /// A text, also of `NSMutableString`.
    case string(String)
    /// Bytes, also of `NSMutableData`.
    case data(Data)
    /// A moment.
    case date(Date)
    /// A URL as it was spelled, and that of its base, if it has one.
    case url(String, base: String?)
    /// A UUID.
    case uuid(UUID)
    /// Values in order.
    case array([ArchivedValue])
    /// Values without an order, in that of the archive.
    case set([ArchivedValue])
    /// Values in order, each once.
    case orderedSet([ArchivedValue])
    /// Values by keys of any kind, in the order of the archive.
    case dictionary([ArchivedEntry])
    /// An object of another class.
    case object(ArchivedObject)
    /// The object around this value that is meant here again, by the way to it. Such a cycle is not followed.
    case cycle(ArchivePath)
}

/// A key of an archived dictionary with its value.
public struct ArchivedEntry: Sendable, Hashable {
    /// The key, nearly always a string.
    public var key: ArchivedValue
    /// The value.
    public var value: ArchivedValue

    /// Creates an entry.
    public init(key: ArchivedValue, value: ArchivedValue) {
        self.key = key
        self.value = value
    }
}

/// An object of a class that is not a collection or another of Foundation's plain values: the name of the class, and
/// what it encoded under which key.
public struct ArchivedObject: Sendable, Hashable {
    /// The name of the class, in Swift with its module, such as `Notes.Person`.
    public var className: String
    /// The classes from which it derives, the nearest first, without itself; `NSObject` if none is said.
    public var superclasses: [String]
    /// What it encoded, by key.
    public var fields: ArchivedFields

    /// Creates an object.
    public init(className: String, superclasses: [String] = ["NSObject"], fields: ArchivedFields) {
        self.className = className
        self.superclasses = superclasses
        self.fields = fields
    }
}

/// What was encoded under each key, in the order of the keys' bytes.
public struct ArchivedFields: Sendable, Hashable {
    /// One of them.
    public struct Field: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The value.
        public var value: ArchivedValue
        /// Whether it stands in the object itself, as by `encode(_: Bool, forKey:)` and its like. Otherwise it is an
        /// object of its own, as by `encode(_: Any?, forKey:)`. Decoders ask for either.
        public var isPrimitive: Bool
    }

    private var fields: [Field] = []

    /// Creates no fields.
    public init() {}

    /// All of them.
    public var all: [Field] { fields }

    /// The value under a key. A new number or truth value is set as a primitive; one that is there already stays what
    /// it was.
    public subscript(key: String) -> ArchivedValue? {
        get { index(of: key).map { fields[$0].value } }
        set {
            guard let newValue else {
                if let index = index(of: key) { fields.remove(at: index) }
                return
            }
            set(newValue, isPrimitive: index(of: key).map { fields[$0].isPrimitive } ?? newValue.isNumber, forKey: key)
        }
    }

    /// Sets a value.
    public mutating func set(_ value: ArchivedValue, isPrimitive: Bool, forKey key: String) {
        let field = Field(key: key, value: value, isPrimitive: isPrimitive)
        if let index = index(of: key) { return fields[index] = field }
        let place = fields.firstIndex { key.precedesByBytes($0.key) } ?? fields.endIndex
        fields.insert(field, at: place)
    }

    /// Creates the fields from those that were read, of which each has another key.
    init(unique fields: [Field]) {
        self.fields = fields.sorted { $0.key.precedesByBytes($1.key) }
    }

    private func index(of key: String) -> Int? { fields.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } }
}

extension ArchivedFields: ExpressibleByDictionaryLiteral {
    /// Creates fields. Numbers and truth values are primitives. Of two with the same key, the last one counts.
    public init(dictionaryLiteral elements: (String, ArchivedValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}

/// The way from the top of an archive to a value in it: keys of fields and of dictionaries, and numbers of elements.
public struct ArchivePath: Sendable, Hashable, CustomStringConvertible {
    /// The steps, the first from the top.
    public var steps: [String]

    /// Creates a way.
    public init(_ steps: [String]) { self.steps = steps }

    public var description: String { steps.joined(separator: ".") }
}

extension ArchivedValue {
    /// As a property list has it; `nil` if it has nothing of the kind, or only with elements.
    var scalar: SettingValue? {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .number(let literal): .number(literal)
        case .string(let text): .string(text)
        case .data(let data): .data(data)
        case .date(let date): .date(date)
        case .null, .url, .uuid, .array, .set, .orderedSet, .dictionary, .object, .cycle: nil
        }
    }

    /// Whether it is one that decoders ask for by type.
    var isNumber: Bool {
        switch self {
        case .bool, .integer, .real, .number: true
        default: false
        }
    }
}

extension ArchivedValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }

    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Values in order.
    public init(arrayLiteral elements: ArchivedValue...) { self = .array(elements) }
}
