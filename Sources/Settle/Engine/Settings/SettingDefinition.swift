/// The declaration of a setting. An object, which the boxes of snapshots and drafts share.
@usableFromInline
final class SettingDefinition<Value: Sendable>: SettingDeclaration {
    let key: String?
    let rules: [SettingRule<Value>]
    let codec: SettingCodec<Value>
    let details: SettingDetails?
    /// `nil` for a type that is not `Equatable`: then every write is a change.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// The memory that a value takes beyond its own size, in bytes, as far as its type shows; `nil` if the type does
    /// not, or if there is none.
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
        // A range is a collection in plain memory, and may have more elements than can be counted.
        guard !_isPOD(Value.self), let type = Value.self as? any Collection.Type else { return nil }
        let each = memoryOfElement(of: type)
        return { value in (value as? any Collection).map { $0.count &* each } ?? 0 }
    }

    var valueType: any Any.Type { Value.self }

    /// Whether a value may take more memory than `cost` shows.
    var isMeasured: Bool {
        if _isPOD(Value.self) || Value.self == String.self || Value.self == String?.self { return false }
        guard let type = Value.self as? any Collection.Type else { return true }
        return !Self.hasPlainElements(type)
    }

    var ruleTexts: [String] {
        let cases = isSecret ? [] : spelledCases(of: Value.self).map { ["one of \($0.joined(separator: ", "))"] } ?? []
        return cases + rules.map(\.description)
    }

    var ruleDescriptions: [RuleDescription] {
        let encode = { [codec] (value: Value) in try? codec.encode(value) }
        return (RuleDescription(casesOf: Value.self, encode).map { [$0] } ?? [])
            + rules.map { $0.terms.described(encode) }
    }

    /// Whether an assignment has to be checked: there are rules, the type has values without a stored form, or the
    /// value is stored elsewhere.
    var isChecked: Bool { !rules.isEmpty || codec.storable != nil || isStoredInSecrets }

    /// Throws if a value breaks a rule, or has no stored form.
    func check(_ value: Value, key: SettingKey) throws(SettingsError) {
        try rules.check(value, key: key)
        try checkStorable(value, key: key)
    }

    /// Throws if a value has no stored form, as far as that shows without encoding it.
    func checkStorable(_ value: Value, key: SettingKey) throws(SettingsError) {
        guard let storable = codec.storable, !storable.accepts(value) else { return }
        let described = DescribedValue(description: Redacted(typed: value).short)
        throw .invalidValue(key: key, value: Redacted(typed: described), rule: storable.words)
    }

    var ruleDefects: [String] { rules.compactMap(\.terms.defect) }

    var encoder: @Sendable (any Sendable) throws -> SettingValue {
        { [encode = codec.encode] in try encode(Self.typed($0)) }
    }

    static func typed(_ erased: any Sendable) throws -> Value {
        if let value = erased as? Value { return value }
        throw SettingCodingError(expected: "a \(Value.self)", found: "a \(type(of: erased))")
    }

    private static func hasPlainElements<C: Collection>(_ type: C.Type) -> Bool { _isPOD(C.Element.self) }

    private static func memoryOfElement<C: Collection>(of type: C.Type) -> Int {
        let stride = MemoryLayout<C.Element>.stride
        // An element that is not plain memory has memory elsewhere.
        return _isPOD(C.Element.self) ? stride : max(stride, 16)
    }
}
