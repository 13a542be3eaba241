import PasscodeLock
import Testing

/// What can be a passcode, and which texts are the same one.
@Suite struct PasscodeTests {
    private func passcode(_ bytes: [UInt8]) throws(PasscodeError) -> Passcode {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(PasscodeError) in try Passcode(utf8: bytes) }
        }.get()
    }

    @Test(
        "Bytes that are not UTF-8 are rejected, not repaired",
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF], [0xFE, 0xFE, 0xFE, 0xFE], [0x80, 0x81, 0x82, 0x83], [0xC0, 0x80, 0xC0, 0x80],
            [0x32, 0x35, 0x38, 0x30, 0xE9], [0xED, 0xA0, 0x80, 0x31, 0x32, 0x33, 0x34], [0xF5, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func notUTF8(_ bytes: [UInt8]) {
        #expect(throws: PasscodeError.notUTF8) { try passcode(bytes) }
    }

    @Test(
        "Composed and decomposed forms are one passcode, as NIST SP 800-63B-4 asks (NFC)",
        arguments: [
            ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}ngström", "\u{C5}ngstro\u{308}m"),
            ("q\u{307}\u{323}123", "q\u{323}\u{307}123"), ("\u{AC01}1234", "\u{1100}\u{1161}\u{11A8}1234"),
            ("\u{11938}1234", "\u{11935}\u{11930}1234"),
        ])
    func normalized(_ one: String, _ other: String) throws {
        #expect(Array(one.utf8) != Array(other.utf8))
        #expect(try Passcode(one).isSame(as: Passcode(other)))
        #expect(try passcode(Array(one.utf8)).isSame(as: passcode(Array(other.utf8))))
    }

    @Test(
        "What only looks alike is another passcode",
        arguments: [("2580", "２５８０"), ("office", "o\u{FB03}ce"), ("paypal", "pаypal"), ("x²+1", "x2+1")])
    func different(_ one: String, _ other: String) throws {
        #expect(try !Passcode(one).isSame(as: Passcode(other)))
    }

    @Test("Characters that Unicode does not know yet are rejected, because it may normalize them later")
    func unassigned() {
        #expect(throws: PasscodeError.unassignedCharacter) { try Passcode("2580\u{E0FFF}") }
    }

    @Test("The limits hold for characters as they are read, and for bytes before and after normalization")
    func limits() {
        #expect(throws: PasscodeError.tooShort(minimum: 4)) { try Passcode("e\u{301}\u{327}\u{328}") }
        #expect(throws: PasscodeError.tooLong) { try Passcode(String(repeating: "\u{E9}", count: 513)) }
        #expect(throws: Never.self) { try Passcode(String(repeating: "\u{E9}", count: 512)) }
        // Three bytes become nine.
        #expect(throws: PasscodeError.tooLong) { try Passcode(String(repeating: "\u{FB2C}", count: 341)) }
    }
}
