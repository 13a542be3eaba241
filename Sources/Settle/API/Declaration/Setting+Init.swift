extension Setting where Value: Codable {
    /// Creates a setting with a default value, and rules for its value, such as
    /// `@Setting(.matching("[a-z]+"), .count(1...64)) var name = "main"`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - rules: The conditions on the value, such as `.oneOf(["de", "en"])`.
    ///   - title: The setting's display name, such as "Wrong guesses". Listings and schemas show it, as well as the
    ///     help and the unit.
    ///   - help: A text that explains what the setting does, in one or more sentences.
    ///   - unit: The unit of a number, such as "seconds".
    public init(
        wrappedValue: Value, _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil,
        unit: String? = nil
    ) {
        self.init(wrappedValue, nil, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// Creates a setting with its own key, such as `@Setting("window.width", .oneOf([1, 2])) var columns = 2`.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, used while no value is stored.
    ///   - key: The key within the group. Keys with dots nest.
    ///   - rules: The conditions on the value.
    ///   - title: The setting's display name.
    ///   - help: A text that explains what the setting does.
    ///   - unit: The unit of a number.
    @_disfavoredOverload  // so that the compiler looks for a misspelt `.rule` among the rules, not among strings
    public init(
        wrappedValue: Value, _ key: String, _ rules: SettingRule<Value>..., title: String? = nil,
        help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// Creates a setting whose value lies in a range, such as `@Setting(in: 0...20) var attemptCount = 0`.
    public init(
        wrappedValue: Value, _ key: String? = nil, in range: some RangeExpression<Value> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(wrappedValue, key, [.range(range)], SettingDetails(title: title, help: help, unit: unit))
    }

    /// Creates an optional setting whose value, if it has one, lies in a range, such as
    /// `@Setting(in: 1...5) var level: Int?`.
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
    /// Creates an optional setting, `nil` by default, with rules for its value if it has one, such as
    /// `@Setting(.oneOf(["de", "en"])) var language: String?`.
    public init(
        _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(nil, nil, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// Creates an optional setting with a key, `nil` by default, such as
    /// `@Setting("nextCheck") var nextCheckDate: Date?`.
    @_disfavoredOverload  // as above
    public init(
        _ key: String, _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        self.init(nil, key, rules, SettingDetails(title: title, help: help, unit: unit))
    }
}

extension Setting {
    /// Creates a setting whose default is known only when its group is created, such as
    /// `@Setting(default: { ProcessInfo.processInfo.activeProcessorCount }) var workers: Int`.
    ///
    /// A group's `init()` may write defaults too, even one that depends on another:
    /// `init() { idleWorkers = workers / 2 }`.
    ///
    /// - Parameters:
    ///   - makeDefault: Returns the value that is used while none is stored. It runs once each time the group is
    ///     opened, or created by its initializer.
    ///   - key: The key within the group; by default the property's name. Keys with dots nest.
    ///   - rules: The conditions on the value.
    ///   - title: The setting's display name.
    ///   - help: A text that explains what the setting does.
    ///   - unit: The unit of a number.
    public init(
        default makeDefault: () -> Value, _ key: String? = nil, rules: [SettingRule<Value>] = [],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value: Codable {
        self.init(makeDefault(), key, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// Creates a setting with its own conversion, for types that are not `Codable`.
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
