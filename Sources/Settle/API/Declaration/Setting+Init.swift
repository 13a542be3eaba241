extension Setting where Value: Codable {
    /// A setting with a default value, and rules for its value, such as
    /// `@Setting(.matching("[a-z]+"), .count(1...64)) var name = "main"`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - rules: The conditions on the value, such as `.oneOf(["de", "en"])`.
    ///   - title: The setting's name for people, such as "Wrong guesses"; shown in listings and schemas, like the
    ///     others.
    ///   - help: What the setting does, as a sentence or more.
    ///   - unit: What a number counts, such as "seconds".
    public init(
        wrappedValue: Value, _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil,
        unit: String? = nil
    ) {
        self.init(wrappedValue, nil, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting with a key of its own, such as `@Setting("window.width", .oneOf([1, 2])) var columns = 2`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - key: The key within the group. Keys with dots nest.
    ///   - rules: The conditions on the value.
    ///   - title: The setting's name for people.
    ///   - help: What the setting does.
    ///   - unit: What a number counts.
    @_disfavoredOverload  // so that the compiler looks for a misspelt `.rule` among the rules, not among strings
    public init(
        wrappedValue: Value, _ key: String, _ rules: SettingRule<Value>..., title: String? = nil,
        help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// A setting whose value lies in a range, such as `@Setting(in: 0...20) var attemptCount = 0`.
    public init(
        wrappedValue: Value, _ key: String? = nil, in range: some RangeExpression<Value> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, [.range(range)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose value, if it has one, lies in a range, such as `@Setting(in: 1...5) var level: Int?`.
    public init<Wrapped: Codable & Sendable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, in range: some RangeExpression<Wrapped> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(wrappedValue, key, [.range(range)], SettingDetails(title: title, help: help, unit: unit))
    }

    init(_ defaultValue: Value, _ key: String?, _ rules: [SettingRule<Value>], _ details: SettingDetails?) {
        self.init(
            SettingDefinition(key: key, defaultValue: defaultValue, rules: rules, codec: .standard, details: details))
    }
}

extension Setting where Value: Codable & ExpressibleByNilLiteral {
    /// An optional setting, `nil` by default, with rules for its value if it has one, such as
    /// `@Setting(.oneOf(["de", "en"])) var language: String?`.
    public init(
        _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(nil, nil, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting with a key, `nil` by default, such as `@Setting("nextCheck") var nextCheckDate: Date?`.
    @_disfavoredOverload  // as above
    public init(
        _ key: String, _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(nil, key, rules, SettingDetails(title: title, help: help, unit: unit))
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
