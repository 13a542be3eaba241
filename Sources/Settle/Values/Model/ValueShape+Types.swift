#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Bool: ShapedValue {
    static var shape: ValueShape { ValueShape(.bool) }
}

extension String: ShapedValue {
    static var shape: ValueShape { ValueShape(.string) }
}

extension Double: ShapedValue {
    static var shape: ValueShape { ValueShape(.number) }
}

extension Float: ShapedValue {
    static var shape: ValueShape { ValueShape(.number) }
}

extension Date: ShapedValue {
    static var shape: ValueShape { ValueShape(.date) }
}

extension Data: ShapedValue {
    static var shape: ValueShape { ValueShape(.data) }
}

extension URL: ShapedValue {
    static var shape: ValueShape { ValueShape(.url) }
}

extension UUID: ShapedValue {
    static var shape: ValueShape { ValueShape(.uuid) }
}

extension Duration: ShapedValue {
    static var shape: ValueShape { ValueShape(.duration) }
}

// MARK: Integers

extension ShapedValue where Self: FixedWidthInteger & DirectSettingValue {
    static var shape: ValueShape {
        if isSigned, bitWidth == Int64.bitWidth { return ValueShape(.integer) }
        return ValueShape(.integer, minimum: try? min.settingValue(), maximum: try? max.settingValue())
    }
}

extension Int: ShapedValue {}
extension Int8: ShapedValue {}
extension Int16: ShapedValue {}
extension Int32: ShapedValue {}
extension Int64: ShapedValue {}
extension Int128: ShapedValue {}
extension UInt: ShapedValue {}
extension UInt8: ShapedValue {}
extension UInt16: ShapedValue {}
extension UInt32: ShapedValue {}
extension UInt64: ShapedValue {}
extension UInt128: ShapedValue {}

// MARK: Around other values

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
    /// Other keys are stored in ways of their own.
    static var shape: ValueShape {
        guard Key.self == String.self || Key.self == Int.self else { return .any }
        return ValueShape(.dictionary, of: ValueShape(of: Value.self))
    }
}

extension Secret: ShapedValue {
    /// A secret is stored like the value in it. Its cases would tell what it may be.
    static var shape: ValueShape { ValueShape(of: Value.self).withoutCases }
}
