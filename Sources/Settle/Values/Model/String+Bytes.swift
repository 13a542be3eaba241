extension String {
    /// The same string with contiguous bytes, which all native Swift strings have.
    var inOnePiece: String {
        if isContiguousUTF8 { return self }
        var text = self
        text.makeContiguousUTF8()
        return text
    }

    /// Whether both have the same bytes in UTF-8, which `==` does not check.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        let found = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                UnsafeRawBufferPointer(bytes).isEqual(to: UnsafeRawBufferPointer(others))
            }
        }
        return (found ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether its bytes in UTF-8 come first.
    package func precedesByBytes(_ other: String) -> Bool {
        let found = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                UnsafeRawBufferPointer(bytes).precedes(UnsafeRawBufferPointer(others))
            }
        }
        return (found ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    @inlinable
    @inline(__always)
    func hashBytes(into hasher: inout Hasher) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isDone == nil { hashEachByte(into: &hasher) }
    }

    /// Adds the same bytes of a string whose bytes are not contiguous.
    @usableFromInline
    @inline(never)
    func hashEachByte(into hasher: inout Hasher) {
        for byte in utf8 { hasher.combine(byte) }
    }
}
