import Settle
import SettleHTTP
import SettlePanel
import SettleTestSupport
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stream that shows changes as they come.
@Suite(.timeLimit(.minutes(10))) struct PanelEventTests {
    private func reader(
        _ program: PanelProgram, _ place: String = "/events?pane=limits"
    ) async throws -> PanelEventReader {
        let answer = await program.browser.get(place)
        #expect(answer.field("Content-Type")?.hasPrefix("text/event-stream") == true)
        return try PanelEventReader(answer.response)
    }

    @Test("A change is sent with the form as it is then, and with no other") func changeSentForm() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        for text in ["new", "newer"] {
            try await program.store.commit { program.app.limits.name = "\(text) <b>" }
            let piece = try await reader.next(until: "\(text) &lt;b&gt;")
            #expect(piece.contains("event: forms\n") && piece.sentKeys == ["limits.name"])
            #expect(!piece.contains("limits.count"))
        }
    }

    @Test("The stream of a search tells of what was found, in whatever pane it is")
    func streamSearchTells() async throws {
        let program = try await PanelProgram()
        let address = try await program.browser.get("/search?q=most").eventsAddress
        var reader = try await reader(program, address)
        _ = try await reader.next()
        try await program.store.commit { program.app.limits.count = 17 }
        _ = try await reader.next(until: "value=\\\"17\\\"")
    }

    @Test("A page of whatever is stored is told when that becomes more or less") func pageStoredTold() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        try await store.commit { try store.keys.setValue("x", forKey: "first") }
        let browser = PanelBrowser(
            SettingsPanel(valuesOf: store, configuration: .init(title: "x", access: .everyone)))
        let old = try await browser.get("/").eventsAddress
        var reader = try PanelEventReader(await browser.get(old).response)
        #expect(try await reader.next().contains("event: contents") == false)
        try await store.commit { try store.keys.setValue("y", forKey: "second") }
        _ = try await reader.next(until: "event: contents")
        // A page that was made before is told at once, one that is made then is not.
        var late = try PanelEventReader(await browser.get(old).response)
        #expect(try await late.next(until: "event: forms").contains("event: contents"))
        let new = try await browser.get("/").eventsAddress
        var fresh = try PanelEventReader(await browser.get(new).response)
        #expect(try await fresh.next().contains("event: contents") == false)
    }

    @Test("A stream ends with the session of its browser") func streamEndsSession() async throws {
        let program = try await PanelProgram(access: .sessions(PanelKey(), TestAuthentication())) {
            $0.sessionLifetime = .seconds(100)
            $0.heartbeat = .seconds(1000)
        }
        #expect(await program.browser.enter().status == 303)
        program.time.pass(40)
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        await program.clock.sleepers(atLeast: 2)
        program.clock.advance(by: .seconds(60))
        #expect(await reader.pieces.next() == nil)
    }

    @Test("Changes of other domains and of other programs are told") func changesOtherDomains() async throws {
        let boss = ManualDomainSource(DomainContents(SettingTree()))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        let store = try await SettingsStore.open(at: file, searching: [.source("boss", boss), .application])
        let panel = SettingsPanel(
            store, groups: PanelProgram.App.self, configuration: .init(title: "x", access: .everyone))
        let browser = PanelBrowser(panel)
        _ = await browser.get("/")
        var reader = try PanelEventReader(await browser.get("/events?pane=limits").response)
        _ = try await reader.next(until: "event: forms")
        boss.set(DomainContents(SettingTree(["limits": .dictionary(["name": .string("by the boss")])])))
        _ = try await reader.next(until: "by the boss")
        // As an editor does it.
        try Data(#"{"limits": {"count": 17}}"#.utf8).write(to: file, options: .atomic)
        _ = try await reader.next(until: "value=\\\"17\\\"")
    }

    @Test("A change by others of any of more than 1,000 undeclared keys is reported")
    func manyUndeclared() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        func write(last: Int) throws {
            let entries = (1000..<2000).map { "\"key\($0)\": 0" } + ["\"last\": \(last)"]
            try Data("{\(entries.joined(separator: ", "))}".utf8).write(to: file, options: .atomic)
        }
        try write(last: 1)
        let store = try await SettingsStore.open(at: file)
        let browser = PanelBrowser(
            SettingsPanel(valuesOf: store, configuration: .init(title: "x", access: .everyone)))
        let address = try await browser.get("/").eventsAddress
        var reader = try PanelEventReader(await browser.get(address).response)
        _ = try await reader.next()
        try write(last: 17)
        _ = try await reader.next(until: "value=\\\"17\\\"")
    }

    @Test("Changes that wait are told as one, with the newest value") func changesWaitTold() async throws {
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

    @Test("The stream of secrets tells nothing of them") func streamSecretsTells() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        program.app.limits.token = Secret("s3cr3t")
        let piece = try await reader.next(until: "limits.token")
        #expect(!piece.contains("s3cr3t") && piece.contains("Is set"))
    }

    @Test("A stream ends with the store") func streamEndsStore() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        try await program.store.close()
        var count = 0
        while await reader.pieces.next() != nil { count += 1 }
        #expect(count < 10)
    }

    @Test("A stream without changes shows that it is alive") func streamWithoutChanges() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        for _ in 0..<5 {
            await program.clock.sleepers(atLeast: 1)
            program.clock.advance(by: .seconds(15))
            _ = try await reader.next(until: ": alive")
        }
    }

    @Test("A stream that its server ends is over, whether it waits or has not begun")
    func streamServerEnds() async throws {
        let program = try await PanelProgram()
        for _ in 0..<100 {
            guard case .events(let events) = await program.browser.get("/events?pane=limits").response.body else {
                Issue.record("There is no stream.")
                return
            }
            let waiting = Task {
                var count = 0
                for await _ in events { count += 1 }
                return count
            }
            events.end()
            #expect(await waiting.value <= 1)
            var late = events.makeAsyncIterator()
            #expect(await late.next() == nil)
        }
        try await eventually("all streams have unsubscribed") { program.store.statistics.subscribers == 0 }
    }

    @Test("What changes with a heartbeat is told, in every round") func changesHeartbeatTold() async throws {
        let program = try await PanelProgram()
        var reader = try await reader(program)
        _ = try await reader.next(until: "event: forms")
        for round in 0..<300 {
            await program.clock.sleepers(atLeast: 1)
            async let beat: Void = program.clock.advance(by: .seconds(15))
            program.app.limits.name = "round \(round)."
            await beat
            _ = try await reader.next(until: "round \(round).")
        }
    }
}
