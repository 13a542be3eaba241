/// Values that fit into a word.
extension SettingBox {
    /// Constant once the type is known, so that the branches on it are optimized away.
    @inlinable
    static var fitsIntoWord: Bool {
        MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size && _isPOD(Value.self)
    }

    /// `==` for words, if it is more than comparing bits: `0.0 == -0.0`.
    static func wordEquality(
        _ definition: SettingDefinition<Value>
    ) -> (@Sendable (UInt64, UInt64) -> Bool)? {
        guard fitsIntoWord, !(Value.self is any FixedWidthInteger.Type), Value.self != Bool.self,
            let areEqual = definition.areEqual
        else { return nil }
        return { areEqual(value(of: $0), value(of: $1)) }
    }

    static func convert(_ word: UInt64) -> any Sendable {
        value(of: word)
    }

    @inlinable
    static func word(of value: Value) -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { $0.baseAddress?.storeBytes(of: value, as: Value.self) }
        return word
    }

    @inlinable
    static func value(of word: UInt64) -> Value {
        withUnsafePointer(to: word) { UnsafeRawPointer($0).load(as: Value.self) }
    }
}
