extension Setting where Value: Codable {
    /// A setting with a default value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    public init(wrappedValue: Value, _ key: String? = nil) {
        self.init(wrappedValue, key, [])
    }

    /// A setting whose value lies in a range, such as `@Setting(in: 0...20) var attemptCount = 0`.
    public init(wrappedValue: Value, _ key: String? = nil, in range: some RangeExpression<Value> & Sendable) {
        self.init(wrappedValue, key, [.range(range)])
    }

    /// A setting whose value is one of a list, such as `@Setting(oneOf: ["de", "en"]) var language = "en"`.
    public init(wrappedValue: Value, _ key: String? = nil, oneOf values: [Value]) where Value: Equatable {
        self.init(wrappedValue, key, [.oneOf(values)])
    }

    /// A setting whose whole value matches a pattern, such as `@Setting(matching: /[a-z]+/) var name = "app"`.
    public init(
        wrappedValue: Value, _ key: String? = nil,
        matching pattern: @autoclosure @escaping @Sendable () -> any RegexComponent
    ) where Value == String {
        self.init(wrappedValue, key, [.matching(pattern)])
    }

    /// A setting whose number of characters, elements or entries lies in a range, such as
    /// `@Setting(count: 1...64) var name = "app"`.
    public init(wrappedValue: Value, _ key: String? = nil, count range: some RangeExpression<Int> & Sendable)
    where Value: Collection {
        self.init(wrappedValue, key, [.count(range)])
    }

    /// A setting whose value is checked by a closure, such as
    /// `@Setting(where: { $0.isMultiple(of: 2) }, "an even number") var width = 2`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - accepts: Whether a value may be written. It must be quick and must not wait.
    ///   - rule: Words that complete "it must be …" in errors.
    public init(
        wrappedValue: Value, _ key: String? = nil, where accepts: @escaping @Sendable (Value) -> Bool,
        _ rule: String = "accepted by the setting's check"
    ) {
        self.init(wrappedValue, key, [SettingRule(rule, accepts: accepts)])
    }

    /// A setting whose value follows several rules.
    public init(wrappedValue: Value, _ key: String? = nil, rules: [SettingRule<Value>]) {
        self.init(wrappedValue, key, rules)
    }

    init(_ defaultValue: Value, _ key: String?, _ rules: [SettingRule<Value>]) {
        self.init(SettingDefinition(key: key, defaultValue: defaultValue, rules: rules, codec: .standard))
    }
}

extension Setting where Value: Codable & ExpressibleByNilLiteral {
    /// An optional setting with a key, `nil` by default, such as `@Setting("nextCheck") var nextCheckDate: Date?`.
    public init(_ key: String) {
        self.init(wrappedValue: nil, key)
    }
}

extension Setting {
    /// A setting whose default is known only when its group is made, such as
    /// `@Setting(default: { ProcessInfo.processInfo.activeProcessorCount }) var workers: Int`.
    ///
    /// A group's `init()` may write defaults too, even one that depends on another:
    /// `init() { idleWorkers = workers / 2 }`.
    ///
    /// - Parameters:
    ///   - makeDefault: Makes the value that is used while none is stored. It runs once each time the group is opened,
    ///     or made by its initializer.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - rules: The conditions on the value.
    public init(default makeDefault: () -> Value, _ key: String? = nil, rules: [SettingRule<Value>] = [])
    where Value: Codable {
        self.init(SettingDefinition(key: key, defaultValue: makeDefault(), rules: rules, codec: .standard))
    }

    /// A setting with a conversion of its own, for types that are not `Codable`.
    public init(wrappedValue: Value, _ key: String? = nil, codec: SettingCodec<Value>, rules: [SettingRule<Value>] = [])
    {
        self.init(SettingDefinition(key: key, defaultValue: wrappedValue, rules: rules, codec: codec))
    }
}
