import PasscodeLock

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// The bytes of a secret line, in memory that is wiped with this value and stays out of swap space where the system
/// allows it.
final class SecretLine {
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
    private var count = 0
    /// Whether bytes beyond the memory were dropped. Then no passcode can be made of it.
    private var isTooLong = false

    /// More than a passcode may have. It never grows, because that would leave a copy behind.
    private static let capacity = Passcode.maximumSize + 64

    init() {
        // Without the permission it works all the same. Unlocking would concern other lines on the same page of memory.
        if let start = memory.baseAddress { mlock(start, Self.capacity) }
    }

    deinit {
        clear()
        memory.deallocate()
    }

    /// Reads up to the end of a line, or until it is too long for a passcode. Byte by byte, because what follows belongs
    /// to the next prompt.
    ///
    /// - Returns: `nil` if the input has ended.
    static func fromStandardInput() -> SecretLine? {
        let line = SecretLine()
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.count > 0 ? line : nil }
            guard byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
            // An input without an end must not be waited for.
            guard !line.isTooLong else { return line }
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    func append(_ byte: UInt8) {
        guard count < Self.capacity else {
            isTooLong = true
            return
        }
        memory[count] = byte
        count += 1
    }

    /// Removes a character of UTF-8: one leading byte and its continuations.
    func removeCharacter() {
        while let last, last & 0xC0 == 0x80 { removeLast() }
        if count > 0 { removeLast() }
    }

    func clear() {
        #if canImport(Darwin)
            memset_s(memory.baseAddress, Self.capacity, 0, Self.capacity)
        #else
            // The compiler does not leave it out, although nothing reads the memory again.
            if let start = memory.baseAddress { explicit_bzero(start, Self.capacity) }
        #endif
        (count, isTooLong) = (0, false)
    }

    func passcode() throws(PasscodeError) -> Passcode {
        guard !isTooLong else { throw .tooLong }
        return try Passcode(utf8: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    private var last: UInt8? { count > 0 ? memory[count - 1] : nil }

    private func removeLast() {
        count -= 1
        memory[count] = 0
    }
}
