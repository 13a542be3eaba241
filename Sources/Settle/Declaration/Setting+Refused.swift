// Declarations that the compiler refuses with a message of this library.

extension Setting {
    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String? = nil, in range: some RangeExpression<Value> & Sendable) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String? = nil, oneOf values: [Value]) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String? = nil, count range: some RangeExpression<Int> & Sendable) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String? = nil, rules: [SettingRule<Value>]) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String? = nil, matching pattern: @autoclosure @escaping @Sendable () -> any RegexComponent) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
    @_disfavoredOverload
    public init(_ key: String? = nil, where accepts: @escaping @Sendable (Value) -> Bool, _ rule: String = "") {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }

    @available(
        *, unavailable,
        message: "A setting's value must be Codable (and Sendable): conform its type, or give '@Setting(codec: …)'."
    )
    @_disfavoredOverload
    public init(wrappedValue: Value, _ key: String? = nil) {
        // Proof: the compiler refuses every call of an unavailable initializer.
        fatalError("unavailable")
    }
}
