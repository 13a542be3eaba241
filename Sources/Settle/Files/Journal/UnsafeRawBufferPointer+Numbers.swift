/// Numbers in the journal's encoding: little-endian, at any offset.
extension UnsafeRawBufferPointer {
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// Whether all bytes from an offset on are zero.
    func isZero(from start: Int) -> Bool {
        var offset = start
        while count - offset >= 8 {
            if loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 { return false }
            offset += 8
        }
        return self[offset...].allSatisfy { $0 == 0 }
    }
}

extension UnsafeMutableRawBufferPointer {
    func store<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
}
