// Declarations that the compiler refuses with a message of this library.

extension Setting {
    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, in range: some RangeExpression<Value> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, oneOf values: [Value],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, count range: some RangeExpression<Int> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, rules: [SettingRule<Value>],
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, matching pattern: @autoclosure @escaping @Sendable () -> any RegexComponent,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, matching pattern: String,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(
        _ key: String? = nil, where accepts: @escaping @Sendable (Value) -> Bool, _ rule: String = "",
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(
        *, unavailable,
        message: "A setting's value must be Codable (and Sendable): conform its type, or give '@Setting(codec: …)'."
    )
    @_disfavoredOverload
    public init(
        wrappedValue: Value, _ key: String? = nil,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }
}
