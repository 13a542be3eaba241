import Foundation
import Settle
import SettleHTTP
import Synchronization
import Testing

/// The adapter for another server of the guide “Settings over HTTP”.
private struct AnotherServer: Sendable {
    let api: SettingsAPI

    func answer(_ incoming: Incoming) async throws {
        guard api.serves(incoming.target) else { return try await answerOtherwise(incoming) }
        // With a byte more than the limit, the API answers with 413.
        let body = try await incoming.body(upTo: api.bodySizeLimit + 1)
        var request = WebRequest(
            method: incoming.method, target: String(incoming.target.dropFirst(api.path.count)),
            headers: incoming.headers, body: body)
        request.peer = incoming.address
        let response = await api.respond(to: request)
        switch response.body {
        case .bytes(let bytes):
            try await incoming.send(response.status, response.headers, incoming.method == "HEAD" ? [] : bytes)
        case .events(let events):
            try await incoming.sendHead(response.status, response.headers)
            // Cancel the task when the client has gone.
            try await events.send { try await incoming.write($0) }
        }
    }

    private func answerOtherwise(_ incoming: Incoming) async throws {
        try await incoming.send(200, [], Array("Another route.".utf8))
    }
}

/// A request to that server, and what its client has received.
private final class Incoming: Sendable {
    let method: String
    let target: String
    let headers: [(name: String, value: String)] = [("Authorization", "Bearer alice-0123456789abcdef")]
    let address = "192.0.2.1"
    /// What is written to a stream.
    let pieces: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let content: [UInt8]
    private let received = Mutex(WebResponse(0))

    init(_ method: String, _ target: String, _ content: [UInt8] = []) {
        (self.method, self.target, self.content) = (method, target, content)
        (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    }

    var answer: Answer { Answer(response: received.withLock { $0 }) }

    func body(upTo limit: Int) async throws -> [UInt8] { Array(content.prefix(limit)) }

    func send(_ status: Int, _ headers: [(name: String, value: String)], _ bytes: [UInt8]) async throws {
        received.withLock { $0 = WebResponse(status, headers, .bytes(bytes)) }
    }

    func sendHead(_ status: Int, _ headers: [(name: String, value: String)]) async throws {
        try await send(status, headers, [])
    }

    func write(_ bytes: [UInt8]) async throws { continuation.yield(bytes) }
}

@Suite(.timeLimit(.minutes(10))) struct SettingsOverHTTPGuideTests {
    @Test("The guide's adapter is the one that these tests use") func adapter() throws {
        let (file, guide) = (URL(filePath: #filePath), "Sources/SettleHTTP/SettleHTTP.docc/SettingsOverHTTP.md")
        let root = file.appending(path: "../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: guide), encoding: .utf8)
        let begin = try #require(text.range(of: "```swift\nfunc answer("))
        let end = try #require(text.range(of: "```\n", range: begin.upperBound..<text.endIndex))
        let sample = "func answer(\(text[begin.upperBound..<end.lowerBound])"
        let indented = sample.split(separator: "\n").map { "    \($0)\n" }.joined()
        #expect(try String(contentsOf: file, encoding: .utf8).contains(indented))
    }

    @Test("With it, another server serves the API below a path, beside its own routes") func anotherServer()
        async throws
    {
        let program = try await APIProgram { $0.path = "/admin" }
        let server = AnotherServer(api: program.api)
        func answer(_ method: String, _ target: String, _ content: [UInt8] = []) async throws -> Answer {
            let incoming = Incoming(method, target, content)
            try await server.answer(incoming)
            return incoming.answer
        }
        let read = try await answer("GET", "/admin/settings/greeting")
        #expect(read.status == 200 && read.value("value") == .string("Hello"))
        let head = try await answer("HEAD", "/admin/settings/greeting")
        #expect(head.status == 200 && head.text.isEmpty && head.field("ETag") == read.field("ETag"))
        #expect(try await answer("PATCH", "/admin/settings/greeting", Array("\"Hi\"".utf8)).status == 200)
        // Its beginning alone would be a value.
        let large = Array("\"\"".utf8) + Array(repeating: UInt8(ascii: " "), count: program.api.bodySizeLimit)
        #expect(try await answer("PATCH", "/admin/settings/greeting", large).problem == "body-too-large")
        #expect(program.app.greeting == "Hi")
        #expect(try await answer("GET", "/hello").text == "Another route.")
    }

    @Test("It writes a stream until its task is cancelled") func stream() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let incoming = Incoming("GET", "/settings/changes")
        let sending = Task { [server = AnotherServer(api: program.api)] in try await server.answer(incoming) }
        var pieces = incoming.pieces.makeAsyncIterator()
        let first = try #require(await pieces.next())
        #expect(String(decoding: first, as: UTF8.self).hasPrefix("event: covered\n"))
        #expect(incoming.answer.field("Content-Type") == "text/event-stream; charset=utf-8")
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
    }
}
