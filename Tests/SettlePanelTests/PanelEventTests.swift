import Settle
import SettlePanel
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stream that shows changes as they come.
@Suite(.timeLimit(.minutes(10))) struct PanelEventTests {
    /// Reads the pieces of a stream until one has a text.
    private struct Reader {
        var pieces: PanelEvents.Iterator

        init(_ response: PanelResponse) throws {
            guard case .events(let events) = response.body else { throw NoStream() }
            pieces = events.makeAsyncIterator()
        }

        mutating func next(until text: String) async throws -> String {
            while let piece = await pieces.next() {
                let piece = String(decoding: piece, as: UTF8.self)
                if piece.contains(text) { return piece }
            }
            throw NoStream()
        }
    }

    private struct NoStream: Error {}

    private func reader(
        _ program: PanelProgram, _ query: String = "", lastID: String? = nil
    ) async throws -> Reader {
        let headers = lastID.map { [(name: "Last-Event-ID", value: $0)] } ?? []
        let answer = await program.browser.get("/events?pane=limits\(query)", headers)
        #expect(answer.field("Content-Type")?.hasPrefix("text/event-stream") == true)
        return try Reader(answer.response)
    }

    private func token(_ program: PanelProgram) async throws -> String {
        let page = await program.browser.get("/pane?id=limits").text
        return String(try #require(page.firstMatch(of: /data-token="([^"]+)"/)).1)
    }

    @Test func `A change is told with the form as it is then, and with its place`() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.nick = "n" }
        var reader = try await reader(program, "&after=\(try await token(program))")
        _ = try await reader.next(until: "alive")
        try await program.store.commit { program.app.limits.name = "new <b>" }
        let piece = try await reader.next(until: "new &lt;b&gt;")
        #expect(piece.contains("event: forms\n") && piece.contains("data-key=\\\"limits.name\\\""))
        #expect(!piece.contains("limits.count"))
    }

    @Test func `A stream goes on after the place that a page shows, or that a browser has seen last`() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.nick = "n" }
        let token = try await token(program)
        try await program.store.commit { program.app.limits.name = "missed" }
        var first = try await reader(program, "&after=\(token)")
        let piece = try await first.next(until: "missed")
        #expect(piece.contains("id: "))
        // What has no place in the history may have changed as well, so all of the page is told.
        var second = try await reader(program, lastID: token)
        let all = try await second.next(until: "event: forms")
        #expect(all.contains("limits.count") && all.contains("limits.name"))
    }

    @Test(arguments: ["", "&after=x", "&after=0000000000000001-7-0000000000000001"])
    func `Without a place, or with one of another past, the whole page is told`(query: String) async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.name = "there" }
        var reader = try await reader(program, query)
        let piece = try await reader.next(until: "there")
        #expect(piece.contains("limits.count"))
    }

    @Test func `Changes of other domains and of other programs are told`() async throws {
        let boss = ManualDomainSource(DomainContents(SettingTree()))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        let store = try await SettingsStore.open(at: file, searching: [.source("boss", boss), .application])
        let panel = SettingsPanel(
            store, groups: PanelProgram.App.self, configuration: .init(title: "x", access: .everyone))
        let browser = PanelBrowser(panel)
        _ = await browser.get("/")
        var reader = try Reader(await browser.get("/events?pane=limits").response)
        _ = try await reader.next(until: "event: forms")
        boss.set(DomainContents(SettingTree(["limits": .dictionary(["name": .string("by the boss")])])))
        _ = try await reader.next(until: "by the boss")
        // As an editor does it.
        try Data(#"{"limits": {"count": 17}}"#.utf8).write(to: file, options: .atomic)
        _ = try await reader.next(until: "value=\\\"17\\\"")
    }

    @Test func `Changes that wait are told as one, with the newest value`() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        for count in 0..<2_000 { program.app.limits.count = count % 20 }
        program.app.limits.name = "the end"
        var pieces = 0
        while true {
            pieces += 1
            let piece = try await reader.next(until: "event: forms")
            if piece.contains("the end") { break }
        }
        #expect(pieces < 100)
    }

    @Test func `The stream of secrets tells nothing of them`() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        program.app.limits.token = Secret("s3cr3t")
        let piece = try await reader.next(until: "limits.token")
        #expect(!piece.contains("s3cr3t") && piece.contains("Is set"))
    }

    @Test func `A stream ends with the store`() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        try await program.store.close()
        var count = 0
        while await reader.pieces.next() != nil { count += 1 }
        #expect(count < 10)
    }

    @Test func `A stream without changes shows that it is alive`() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        for _ in 0..<5 {
            await program.clock.sleepers(atLeast: 1)
            program.clock.advance(by: .seconds(15))
            _ = try await reader.next(until: ": alive")
        }
    }
}
