// Declarations that the compiler refuses with a message of this library.

@available(*, unavailable, message: "A setting needs a default value: write '@Setting(…) var name = value'.")
extension Setting {
    @_disfavoredOverload
    public init(_ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil, unit: String? = nil) {
        refusedByCompiler()
    }

    @_disfavoredOverload
    public init(
        _ key: String, _ rules: SettingRule<Value>..., title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        refusedByCompiler()
    }

    @_disfavoredOverload
    public init(
        _ key: String? = nil, in range: some RangeExpression<Value> & Sendable,
        title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        refusedByCompiler()
    }
}

@available(
    *, unavailable,
    message: "A setting's value must be Codable (and Sendable): conform its type, or give '@Setting(codec: …)'."
)
extension Setting {
    @_disfavoredOverload
    public init(
        wrappedValue: Value, _ key: String? = nil, title: String? = nil, help: String? = nil, unit: String? = nil
    ) {
        refusedByCompiler()
    }
}
