extension Setting where Value: Codable {
    /// A setting with a default value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - title: The setting's name for people, such as "Wrong guesses"; shown in listings and schemas, like the others.
    ///   - help: What the setting does, as a sentence or more.
    ///   - unit: What a number counts, such as "seconds".
    public init(
        wrappedValue: Value, _ key: String? = nil, title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, [], SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose value lies in a range, such as `@Setting(in: 0...20) var attemptCount = 0`.
    public init(
        wrappedValue: Value, _ key: String? = nil, in range: some RangeExpression<Value> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, [.range(range)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose value is one of a list, such as `@Setting(oneOf: ["de", "en"]) var language = "en"`.
    public init(
        wrappedValue: Value, _ key: String? = nil, oneOf values: [Value], title: String? = nil, help: String? = nil,
        unit: String? = nil
    ) where Value: Equatable {
        self.init(wrappedValue, key, [.oneOf(values)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose whole value matches a pattern, such as `@Setting(matching: /[a-z]+/) var name = "app"`.
    public init(
        wrappedValue: Value, _ key: String? = nil,
        matching pattern: @autoclosure @escaping @Sendable () -> any RegexComponent,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == String {
        self.init(wrappedValue, key, [.matching(pattern)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose whole value matches a pattern given as text, such as
    /// `@Setting(matching: "[a-z]+") var name = "app"`. Unlike a regex literal, it appears in errors, listings and
    /// schemas, and is checked when the group is opened.
    public init(
        wrappedValue: Value, _ key: String? = nil, matching pattern: String, title: String? = nil, help: String? = nil,
        unit: String? = nil
    ) where Value == String {
        self.init(wrappedValue, key, [.matching(pattern)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose number of characters, elements or entries lies in a range, such as
    /// `@Setting(count: 1...64) var name = "app"`.
    public init(
        wrappedValue: Value, _ key: String? = nil, count range: some RangeExpression<Int> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value: Collection {
        self.init(wrappedValue, key, [.count(range)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose value is checked by a closure, such as
    /// `@Setting(where: { $0.isMultiple(of: 2) }, "an even number") var width = 2`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - accepts: Whether a value may be written. It must be quick and must not wait.
    ///   - rule: Words that complete "it must be …" in errors.
    ///   - title: The setting's name for people.
    ///   - help: What the setting does.
    ///   - unit: What a number counts.
    public init(
        wrappedValue: Value, _ key: String? = nil, where accepts: @escaping @Sendable (Value) -> Bool,
        _ rule: String = "accepted by the setting's check", title: String? = nil, help: String? = nil,
        unit: String? = nil
    ) {
        self.init(
            wrappedValue, key, [SettingRule(rule, accepts: accepts)],
            SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose value follows several rules.
    public init(
        wrappedValue: Value, _ key: String? = nil, rules: [SettingRule<Value>], title: String? = nil,
        help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    init(_ defaultValue: Value, _ key: String?, _ rules: [SettingRule<Value>], _ details: SettingDetails?) {
        self.init(
            SettingDefinition(key: key, defaultValue: defaultValue, rules: rules, codec: .standard, details: details))
    }
}

extension Setting where Value: Codable & ExpressibleByNilLiteral {
    /// An optional setting with a key, `nil` by default, such as `@Setting("nextCheck") var nextCheckDate: Date?`.
    public init(_ key: String? = nil, title: String? = nil, help: String? = nil, unit: String? = nil) {
        self.init(nil, key, [], SettingDetails(title: title, help: help, unit: unit))
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
    ///   - title: The setting's name for people.
    ///   - help: What the setting does.
    ///   - unit: What a number counts.
    public init(
        default makeDefault: () -> Value, _ key: String? = nil, rules: [SettingRule<Value>] = [],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value: Codable {
        self.init(makeDefault(), key, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting with a conversion of its own, for types that are not `Codable`.
    public init(
        wrappedValue: Value, _ key: String? = nil, codec: SettingCodec<Value>, rules: [SettingRule<Value>] = [],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(
            SettingDefinition(
                key: key, defaultValue: wrappedValue, rules: rules, codec: codec,
                details: SettingDetails(title: title, help: help, unit: unit, hasOwnCodec: true)))
    }
}
