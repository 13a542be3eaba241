// Rules for optional settings. `nil` passes each of them, and is the default unless the declaration gives one.

extension Setting where Value: Codable {
    /// An optional setting whose value, if it has one, lies in a range, such as `@Setting(in: 1...5) var level: Int?`.
    public init<Wrapped: Codable & Sendable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, in range: some RangeExpression<Wrapped> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(wrappedValue, key, [.unlessNil(.range(range))], SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose value, if it has one, is one of a list, such as
    /// `@Setting(oneOf: ["de", "en"]) var language: String?`.
    public init<Wrapped: Codable & Sendable & Equatable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, oneOf values: [Wrapped],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(wrappedValue, key, [.unlessNil(.oneOf(values))], SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose whole value, if it has one, matches a pattern, such as
    /// `@Setting(matching: /[a-z]+/) var name: String?`.
    public init(
        wrappedValue: String? = nil, _ key: String? = nil,
        matching pattern: @autoclosure @escaping @Sendable () -> any RegexComponent,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == String? {
        self.init(
            wrappedValue, key, [.unlessNil(.matching(pattern))], SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose whole value, if it has one, matches a pattern given as text, such as
    /// `@Setting(matching: "[a-z]+") var name: String?`.
    public init(
        wrappedValue: String? = nil, _ key: String? = nil, matching pattern: String,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == String? {
        self.init(
            wrappedValue, key, [.unlessNil(.matching(pattern))], SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose number of characters, elements or entries, if it has a value, lies in a range, such as
    /// `@Setting(count: 1...64) var name: String?`.
    public init<Wrapped: Codable & Sendable & Collection>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, count range: some RangeExpression<Int> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(wrappedValue, key, [.unlessNil(.count(range))], SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose value, if it has one, is checked by a closure, such as
    /// `@Setting(where: { $0.isMultiple(of: 2) }, "an even number") var width: Int?`.
    ///
    /// A closure that takes the optional itself, such as `{ $0 != 5 }`, is called with `nil`, too.
    public init<Wrapped: Codable & Sendable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, where accepts: @escaping @Sendable (Wrapped?) -> Bool,
        _ rule: String = "accepted by the setting's check",
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(
            wrappedValue, key, [SettingRule(rule, accepts: accepts)],
            SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose value, if it has one, is checked by a closure that takes no optional.
    @_disfavoredOverload
    public init<Wrapped: Codable & Sendable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, where accepts: @escaping @Sendable (Wrapped) -> Bool,
        _ rule: String = "accepted by the setting's check",
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(
            wrappedValue, key, [.unlessNil(SettingRule(rule, accepts: accepts))],
            SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose value follows several rules. The rules are applied to `nil`, too, unless they are
    /// ``SettingRule/unlessNil(_:)``.
    public init<Wrapped: Codable & Sendable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, rules: [SettingRule<Wrapped?>],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(wrappedValue, key, rules, SettingDetails(title: title, help: help, unit: unit))
    }

    /// An optional setting whose value, if it has one, follows several rules.
    @_disfavoredOverload
    public init<Wrapped: Codable & Sendable>(
        wrappedValue: Wrapped? = nil, _ key: String? = nil, rules: [SettingRule<Wrapped>],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) where Value == Wrapped? {
        self.init(wrappedValue, key, rules.map { .unlessNil($0) }, SettingDetails(title: title, help: help, unit: unit))
    }
}
