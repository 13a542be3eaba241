import NIOHTTP1
import Settle
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An open stream of server-sent events.
struct TestEvents {
    private var connection: TestConnection
    private var unread = ""

    /// Opens the stream on a connection, which nothing else may use then.
    init(_ request: TestRequest, on connection: TestConnection) async throws {
        self.connection = connection
        status = Int(try await self.connection.begin(request).status.code)
    }

    let status: Int

    /// The snapshot, which comes after what is in force instead of the file's values.
    mutating func snapshot() async throws -> TestEvent? {
        #expect(try await next()?.name == "covered")
        return try await next()
    }

    /// The next event or comment; `nil` when the service has ended the stream.
    mutating func next() async throws -> TestEvent? {
        while true {
            if let end = unread.firstRange(of: "\n\n") {
                let text = unread[..<end.lowerBound]
                unread = String(unread[end.upperBound...])
                return TestEvent(text: String(text))
            }
            guard let part = try await connection.nextPart() else { return nil }
            unread += part
        }
    }
}

/// A server-sent event as received.
struct TestEvent {
    let text: String

    func field(_ name: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    var name: String? { field("event") }
    var id: String? { field("id") }
    var isComment: Bool { text.hasPrefix(":") }

    func data() throws -> SettingValue.Entries {
        guard case .dictionary(let object) = try SettingValue(json: Data((field("data") ?? "").utf8)) else {
            return [:]
        }
        return object
    }

    /// The place.
    var token: ChangeToken? {
        get throws { try #require(ChangeToken(try #require(id))) }
    }

    /// What has happened to a key.
    func mutation(of key: String) throws -> SettingValue? {
        guard case .array(let changes)? = try data()["changes"] else { return nil }
        return changes.first { $0.member(.string("key")) == .string(key) }
    }

    /// The new value of `limits.burst`.
    var newBurst: Int? {
        get throws {
            guard case .integer(let number)? = try mutation(of: "limits.burst")?.member(.string("new")) else {
                return nil
            }
            return Int(number)
        }
    }
}
