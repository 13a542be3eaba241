import SettlePanel
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signatures that the guide has for programs without swift-crypto.
@Suite struct SHA256AuthenticationTests {
    /// Test cases 1, 2, 3, 6 and 7 of RFC 4231.
    @Test(
        "The guide's HMAC gives the codes of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array(
                    ("This is a test using a larger than block-size key and a larger than block-size data. The key "
                        + "needs to be hashed before being used by the HMAC algorithm.").utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ] as [([UInt8], [UInt8], String)])
    func vectors(key: [UInt8], message: [UInt8], code: String) {
        let digits = SHA256Authentication().code(for: message, key: key).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(digits.joined() == code)
    }

    @Test("The code in the guide is the one that is tested")
    func guide() throws {
        let file = URL(filePath: #filePath)
        let source = try String(
            contentsOf: file.deletingLastPathComponent().appending(path: "SHA256Authentication.swift"), encoding: .utf8)
        let code = try #require(source.firstRange(of: "import SettlePanel\n\n")).upperBound
        let package = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = package.appending(path: "Sources/SettlePanel/SettlePanel.docc/AnotherServer.md")
        let guide = try String(contentsOf: article, encoding: .utf8)
        #expect(guide.contains("```swift\n\(source[code...])```"))
    }
}
