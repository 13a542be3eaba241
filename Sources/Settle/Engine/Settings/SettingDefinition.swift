/// What a declaration says about a setting.
@usableFromInline
struct SettingDefinition<Value: Sendable>: Sendable {
    let key: String?
    let rules: [SettingRule<Value>]
    let codec: SettingCodec<Value>
    /// `nil` if the declaration has none, as most.
    let details: SettingDetails?
    /// `nil` for a type that is not `Equatable`: then every write is a change.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// The memory that a value takes beyond its own size, in bytes, as far as its type tells; `nil` if it does not.
    @usableFromInline let cost: (@Sendable (Value) -> Int)?
    /// The last property, so that the offsets of the others don't depend on the type.
    @usableFromInline let defaultValue: Value

    init(
        key: String?, defaultValue: Value, rules: [SettingRule<Value>], codec: SettingCodec<Value>,
        details: SettingDetails? = nil
    ) {
        self.key = key
        self.defaultValue = defaultValue
        self.rules = rules
        self.codec = codec
        self.details = details
        areEqual = equality(of: Value.self)
        cost = Self.makeCost()
    }

    private static func makeCost() -> (@Sendable (Value) -> Int)? {
        if Value.self == String.self || Value.self == String?.self { return { ($0 as? String)?.utf8.count ?? 0 } }
        guard let type = Value.self as? any Collection.Type else { return nil }
        let each = memoryOfElement(of: type)
        return { value in (value as? any Collection).map { $0.count &* each } ?? 0 }
    }

    /// Whether a value may take more memory than `cost` tells, so that only its stored form shows how much.
    static var isMeasured: Bool {
        if _isPOD(Value.self) || Value.self == String.self || Value.self == String?.self { return false }
        guard let type = Value.self as? any Collection.Type else { return true }
        return !hasPlainElements(type)
    }

    private static func hasPlainElements<C: Collection>(_ type: C.Type) -> Bool { _isPOD(C.Element.self) }

    private static func memoryOfElement<C: Collection>(of type: C.Type) -> Int {
        let stride = MemoryLayout<C.Element>.stride
        // An element that is not plain memory has memory elsewhere.
        return _isPOD(C.Element.self) ? stride : max(stride, 16)
    }
}
