// Rules that the compiler refuses with a message of this library.

extension SettingRule {
    @available(*, unavailable, message: "The bounds of the range are not of the setting's type.")
    @_disfavoredOverload
    public static func range<Bound>(_ range: some RangeExpression<Bound>) -> SettingRule { refusedByCompiler() }

    @available(*, unavailable, message: "Only text (a String or an optional one) can match a pattern.")
    @_disfavoredOverload
    public static func matching<Pattern>(_ pattern: Pattern) -> SettingRule { refusedByCompiler() }

    @available(*, unavailable, message: "Only text and collections have a count.")
    @_disfavoredOverload
    public static func count(_ range: some RangeExpression<Int>) -> SettingRule { refusedByCompiler() }
}

/// The body of unavailable declarations.
func refusedByCompiler() -> Never {
    // Proof: the compiler refuses every call of an unavailable declaration.
    fatalError("unavailable")
}
