/// The form of a type's values where they are stored, as far as the type determines it.
public struct ValueShape: Sendable, Hashable, Codable {
    /// The kinds of stored values.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// True or false.
        case bool
        /// A whole number.
        case integer
        /// A number.
        case number
        /// A text.
        case string
        /// A moment.
        case date
        /// Bytes.
        case data
        /// A URL, as a text.
        case url
        /// A UUID, as a text.
        case uuid
        /// A duration, as a text such as `90.5s`.
        case duration
        /// Values in order, or those of a set.
        case array
        /// Values by name.
        case dictionary
        /// The form that the type's own coder chooses.
        case any
    }

    /// The kind of the values.
    public let kind: Kind
    /// Whether the value may be `nil`, which is stored as ``SettingValue/null``.
    public private(set) var isOptional = false
    /// The least value of an integer type that is smaller than `Int`, or has no sign.
    public private(set) var minimum: SettingValue?
    /// The greatest value of an integer type that is smaller than `Int`, or has no sign.
    public private(set) var maximum: SettingValue?
    /// The cases of an enumeration that lists them, in their stored form and in the order of their declaration.
    public private(set) var cases: [SettingValue]?
    /// The titles of the ``cases``, in the same order; `nil` unless the type is a ``TitledChoice``.
    public private(set) var titles: [String]?
    /// The shape of the elements of an array or a set, or of the values of a dictionary. One, or none.
    private var elements: [ValueShape] = []

    /// The shape of the elements of an array or a set, or of the values of a dictionary.
    public var element: ValueShape? { elements.first }

    init(_ kind: Kind, of element: ValueShape? = nil, minimum: SettingValue? = nil, maximum: SettingValue? = nil) {
        self.kind = kind
        (self.minimum, self.maximum) = (minimum, maximum)
        elements = element.map { [$0] } ?? []
    }

    static let any = ValueShape(.any)

    /// The shape in which ``SettingCodec/standard`` stores values of a type.
    init(of type: any Any.Type) {
        if let type = type as? any ShapedValue.Type {
            self = type.shape
        } else {
            self = .any
            guard !(type is any SecretValue.Type), let all = enumeratedCases(of: type) else { return }
            cases = Self.stored(all)
            titles = cases == nil ? nil : choiceTitles(of: all)
        }
    }

    /// Returns all cases or none: a list with holes would refuse values that the type accepts.
    private static func stored(_ cases: [Any]) -> [SettingValue]? {
        let values = cases.compactMap { ($0 as? any Encodable).flatMap { try? SettingValueEncoder().encode($0) } }
        return values.count == cases.count ? values : nil
    }

    var optional: ValueShape {
        var shape = self
        shape.isOptional = true
        return shape
    }

    var withoutCases: ValueShape {
        var shape = self
        (shape.cases, shape.titles) = (nil, nil)
        shape.elements = elements.map(\.withoutCases)
        return shape
    }
}

/// A type that defines the form in which ``SettingCodec/standard`` stores its values.
protocol ShapedValue {
    static var shape: ValueShape { get }
}
