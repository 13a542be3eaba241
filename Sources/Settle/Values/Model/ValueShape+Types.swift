// The types around other values. Types without other values in them define their shape where they spell their values.

extension Optional: ShapedValue {
    static var shape: ValueShape { ValueShape(of: Wrapped.self).optional }
}

extension Array: ShapedValue {
    static var shape: ValueShape { ValueShape(.array, of: ValueShape(of: Element.self)) }
}

extension Set: ShapedValue {
    static var shape: ValueShape { ValueShape(.array, of: ValueShape(of: Element.self)) }
}

extension Dictionary: ShapedValue {
    /// Other keys are stored in other ways.
    static var shape: ValueShape {
        guard Key.self == String.self || Key.self == Int.self else { return .any }
        return ValueShape(.dictionary, of: ValueShape(of: Value.self))
    }
}

extension Secret: ShapedValue {
    /// A secret is stored like the value in it. Its cases would reveal the possible values.
    static var shape: ValueShape { ValueShape(of: Value.self).withoutCases }
}
