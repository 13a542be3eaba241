import SettleTesting
import Testing

@testable import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private let marker = "hunter2"

private struct Refusing: Codable, Sendable, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        throw DecodingError.dataCorrupted(
            .init(codingPath: [], debugDescription: "\(text) is refused", underlyingError: TextError(text: text)))
    }

    func encode(to encoder: any Encoder) throws { throw TextError(text: text) }
}

private struct TextError: Error {
    var text: String
}

@Suite struct SecretTests {
    @Test("Printing a secret never shows its value") func printing() {
        let secret = Secret(marker)
        #expect("\(secret)" == "••••" && String(reflecting: secret) == "••••")
        for value: Any in [
            secret, Optional(secret) as Any, [secret], ["a": secret], (1, secret), Secret([marker]),
            Secret(Refusing(marker)), Result<Secret<String>, TestFailure>.success(secret),
        ] {
            #expect(!printed(value).contains(marker))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("A secret is encoded as its value, at every depth") func coding() throws {
        struct Account: Codable, Equatable {
            var name: String
            var token: Secret<String>?
            var keys: [Secret<Int>]
        }
        let account = Account(name: "a", token: Secret("t"), keys: [Secret(1)])
        let encoded = try SettingValueEncoder().encode(account)
        #expect(
            encoded
                == .dictionary(["name": .string("a"), "token": .string("t"), "keys": .array([.integer(1)])]))
        #expect(try SettingValueDecoder().decode(Account.self, from: encoded) == account)
        #expect(try SettingCodec<Secret<Data>>.standard.encode(Secret(Data([1]))) == .data(Data([1])))
        #expect(try SettingCodec<Secret<Int>?>.standard.decode(.null) == nil)
        #expect(try SettingCodec<Secret<Date>>.standard.decode(.integer(0)).revealed == Date(timeIntervalSince1970: 0))
    }

    @Test("Coding errors do not quote a secret") func codingErrors() {
        let number = #expect(throws: SettingCodingError.self) {
            try SettingValueDecoder().decode([String: Secret<String>].self, from: .dictionary(["a": .integer(987_654)]))
        }
        #expect(number?.path == ["a"] && !printed(number as Any).contains("987"))
        let text = #expect(throws: SettingCodingError.self) {
            try SettingValueDecoder().decode(Secret<Refusing>.self, from: .string(marker))
        }
        #expect(!printed(text as Any).contains(marker))
        let encoding = #expect(throws: SettingCodingError.self) {
            try SettingValueEncoder().encode(Secret(Refusing(marker)))
        }
        #expect(!printed(encoding as Any).contains(marker))
    }

    @Test("Secret strings, data and bytes compare byte by byte, and other values by their own equality")
    func equality() {
        #expect(Secret("abc") == Secret("abc"))
        #expect(Secret("abc") != Secret("abd") && Secret("abc") != Secret("xbc") && Secret("abc") != Secret("abcd"))
        #expect("\u{E9}" == "e\u{301}" && Secret("\u{E9}") != Secret("e\u{301}"))
        #expect(Secret("") == Secret(""))
        #expect(Secret(Data([1, 2])) == Secret(Data([1, 2])) && Secret(Data([1, 2])) != Secret(Data([1, 3])))
        #expect(Secret([UInt8(1)]) == Secret([UInt8(1)]) && Secret([UInt8(1)]) != Secret([UInt8(2)]))
        #expect(Secret(0.0) == Secret(-0.0) && Secret(1) != Secret(2))
    }

    @Test("Optionals and collections of secrets count as secrets") func collections() {
        func isSecret(_ type: Any.Type) -> Bool { type is any SecretValue.Type }
        #expect(isSecret(Secret<Int>?.self) && isSecret([Secret<Int>].self) && isSecret([String: [Secret<Int>]?].self))
        #expect(!isSecret(Int?.self) && !isSecret([String: Int].self))
    }

    // MARK: Errors of file formats

    @Test("An error about a damaged file quotes no value", arguments: [FileFormat.json, .propertyListXML])
    func damagedFiles(_ format: FileFormat) throws {
        let token = "\(marker);\(marker)"
        let tree = SettingTree([
            "a": .array([.string(token), .string(token)]),
            "b": .dictionary(["c": .string(token), "d": .integer(4_711)]),
        ])
        let bytes = try format.encode(tree)
        let inserted = Array("{}[]\",:<>&;/\\0a ".utf8)
        var failures = 0
        func check(_ bytes: [UInt8]) {
            do {
                _ = try format.decode(bytes)
            } catch {
                failures += 1
                let text = printed(error)
                #expect(!text.contains(marker.prefix(4)) && !text.contains("4711"), "\(text)")
            }
        }
        for position in bytes.indices {
            check(Array(bytes[..<position]))
            for length in [1, 2, 6] { check(Array(bytes[..<position] + bytes.dropFirst(position + length))) }
            for byte in inserted {
                check(Array(bytes[..<position] + [byte] + bytes[position...]))
                check(Array(bytes[..<position] + [byte] + bytes[(position + 1)...]))
            }
        }
        #expect(failures > 1_000)
        // With braces written in place of brackets.
        check(Array("{\"a\": {\"\(token)\", \"\(token)\"}}".utf8))
    }

    @Test(
        "An error about a value that a format can't spell does not quote it",
        arguments: [FileFormat.json, .propertyListXML, .propertyListBinary])
    func unspellable(_ format: FileFormat) {
        let error = #expect(throws: FormatError.self) {
            try format.encode(SettingTree(["a": .number(marker)]))
        }
        #expect(error?.place == .key("a") && !printed(error as Any).contains(marker))
    }
}
