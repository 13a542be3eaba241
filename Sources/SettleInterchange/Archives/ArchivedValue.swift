import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value of a keyed archive, read without the classes that made it.
///
/// A value contains its elements and fields, except for an object to which the archive refers several times: that is
/// in ``KeyedArchive/sharedObjects``, and ``reference(_:)`` stands for it. ``KeyedArchive/resolved(_:)`` follows it.
public indirect enum ArchivedValue: Sendable, Hashable {
    /// `nil`, or `NSNull` in a collection. `NSNull` in a field is ``nullObject``.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A number that neither `integer` nor `real` holds exactly, as a decimal literal; also that of `NSDecimalNumber`.
    case number(String)
    /// A string, and whether it is that of `NSMutableString`.
    case string(String, isMutable: Bool = false)
    /// Bytes, and whether they are those of `NSMutableData`.
    case data(Data, isMutable: Bool = false)
    /// A date.
    case date(Date)
    /// A URL as it was spelled, and its base URL, if it has one.
    case url(String, base: String?)
    /// A UUID.
    case uuid(UUID)
    /// Values in order, and whether they are those of `NSMutableArray`.
    case array([ArchivedValue], isMutable: Bool = false)
    /// Unordered values, in the order of the archive, and whether they are those of `NSMutableSet`.
    case set([ArchivedValue], isMutable: Bool = false)
    /// Values in order, each once, and whether they are those of `NSMutableOrderedSet`.
    case orderedSet([ArchivedValue], isMutable: Bool = false)
    /// Values by keys of any kind, in the order of the archive, and whether they are those of `NSMutableDictionary`.
    case dictionary([ArchivedEntry], isMutable: Bool = false)
    /// An object of another class.
    case object(ArchivedObject)
    /// An object to which the archive refers several times, by its index in ``KeyedArchive/sharedObjects``.
    ///
    /// It may be an object that encloses the reference: then the objects form a cycle. Strings, data and URLs of up to
    /// 256 bytes and other plain values are never references, unless they are mutable.
    case reference(Int)
}

extension ArchivedValue {
    /// `NSNull` in a field, where ``null`` is `nil`.
    public static let nullObject = ArchivedValue.object(
        ArchivedObject(className: FoundationClass.null.rawValue, fields: ArchivedFields()))
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
/// its encoded fields by key.
public struct ArchivedObject: Sendable, Hashable {
    /// The name of the class; in Swift with its module, such as `Notes.Person`.
    public var className: String
    /// Its superclasses, the nearest first; `NSObject` if none is specified.
    public var superclasses: [String]
    /// The encoded fields, by key.
    public var fields: ArchivedFields

    /// Creates an object.
    public init(className: String, superclasses: [String] = ["NSObject"], fields: ArchivedFields) {
        self.className = className
        self.superclasses = superclasses
        self.fields = fields
    }
}

/// The encoded values by key, in the order of the keys' bytes.
public struct ArchivedFields: Sendable, Hashable {
    /// A field.
    public struct Field: Sendable, Hashable {
        /// The key.
        public var key: String
        /// The value.
        public var value: ArchivedValue
        /// Whether the value is stored in the object itself, as by `encode(_: Bool, forKey:)` and similar methods.
        /// Otherwise it is a separate object, as by `encode(_: Any?, forKey:)`. Decoders request one or the other.
        public var isPrimitive: Bool
    }

    private var fields: [Field] = []

    /// Creates an empty collection of fields.
    public init() {}

    /// All fields.
    public var all: [Field] { fields }

    /// The value under a key. A new number or Boolean value is set as a primitive; an existing
    /// field keeps its form.
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

    /// Returns the fields with other values.
    func mapValues(
        _ transform: (ArchivedValue) throws(ArchiveError) -> ArchivedValue
    ) throws(ArchiveError) -> ArchivedFields {
        var copy = self
        for index in copy.fields.indices { copy.fields[index].value = try transform(copy.fields[index].value) }
        return copy
    }

    /// Creates the fields that were read, all with different keys.
    init(unique fields: [Field]) {
        self.fields = fields.sorted { $0.key.precedesByBytes($1.key) }
    }

    private func index(of key: String) -> Int? { fields.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } }
}

extension ArchivedFields: ExpressibleByDictionaryLiteral {
    /// Creates fields. Numbers and Boolean values are primitives. Of two with the same key, the last one counts.
    public init(dictionaryLiteral elements: (String, ArchivedValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}

/// The path from the top of an archive to a value in it: keys of fields and of dictionaries, and indices of elements.
public struct ArchivePath: Sendable, Hashable, CustomStringConvertible {
    /// The steps, the first from the top.
    public var steps: [String]

    /// Creates a path.
    public init(_ steps: [String]) { self.steps = steps }

    public var description: String { steps.joined(separator: ".") }
}

extension ArchivedValue {
    /// The value in a property list; `nil` if a property list has none, or only with elements.
    var scalar: SettingValue? {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .number(let literal): .number(literal)
        case .string(let text, _): .string(text)
        case .data(let data, _): .data(data)
        case .date(let date): .date(date)
        case .null, .url, .uuid, .array, .set, .orderedSet, .dictionary, .object, .reference: nil
        }
    }

    /// Whether it is a value that decoders request by type.
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
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }

    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: ArchivedValue...) { self = .array(elements) }
}
