import Settle
import SettleHTTP
import SettleTestSupport
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client of a stream.
struct StreamReader {
    private var pieces: WebEvents.Iterator
    private var waiting: [Event] = []
    let events: WebEvents
    /// The identifier of the last event.
    private(set) var lastID: String?

    struct Event: Sendable {
        var name = ""
        var id: String?
        var data: SettingValue?
        var comment: String?
    }

    init(_ answer: Answer) throws {
        guard case .events(let events) = answer.response.body else { throw NoStream() }
        self.events = events
        pieces = events.makeAsyncIterator()
    }

    /// Returns the next event; `nil` at the end.
    mutating func next() async -> Event? {
        while waiting.isEmpty {
            guard let piece = await pieces.next() else { return nil }
            waiting = String(decoding: piece, as: UTF8.self).components("\n\n").map { Self.event($0) }
        }
        let event = waiting.removeFirst()
        lastID = event.id ?? lastID
        return event
    }

    /// Returns the next event of a name.
    mutating func next(_ name: String) async throws -> Event {
        while let event = await next() {
            if event.name == name { return event }
        }
        throw NoStream()
    }

    private static func event(_ text: String) -> Event {
        var event = Event()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = String(parts[1].dropFirst())
            switch parts[0] {
            case "": event.comment = value
            case "event": event.name = value
            case "id": event.id = value
            default: event.data = try? SettingValue(json: Data(value.utf8))
            }
        }
        return event
    }

    struct NoStream: Error {}
}

extension String {
    /// The parts that end with a separator.
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: true).map(String.init)
    }
}

@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    private func reader(
        _ program: APIProgram, by client: String = "alice", after id: String? = nil
    ) async throws -> StreamReader {
        let headers = id.map { [(name: "Last-Event-ID", value: $0)] } ?? []
        let answer = await program.send("GET", "/settings/changes", "", by: client, headers: headers)
        #expect(answer.status == 200 && answer.field("Content-Type") == "text/event-stream; charset=utf-8")
        #expect(answer.field("Cache-Control") == "no-store" && answer.field("X-Accel-Buffering") == "no")
        return try StreamReader(answer)
    }

    @Test("A stream begins with what covers the file, and a snapshot") func streamBeginsCoversFile() async throws {
        let program = try await APIProgram(overrides: SettingTree(["greeting": .string("Yo")]))
        try await program.store.commit { program.app.limits.burst = 5 }
        var reader = try await reader(program)
        let covered = try #require(await reader.next())
        #expect(covered.name == "covered" && covered.id == nil)
        guard case .array(let settings)? = covered.data?["settings"] else {
            Issue.record("There are no settings.")
            return
        }
        #expect(settings.map { $0["key"] } == [.string("greeting")])
        let snapshot = try await reader.next("snapshot")
        #expect(snapshot.id == program.store.history.token?.description)
        #expect(snapshot.data?["missed"] == .bool(false))
        #expect(snapshot.data?["values"]?["limits.burst"] == .integer(5))
        #expect(snapshot.data?["values"]?["greeting"] == .string("Hello"))
        #expect(snapshot.data?["values"]?["admin.password"] == nil)
    }

    @Test("Each change is an event, once and in order, and of a secret without its value") func eachChangeEventOnce()
        async throws
    {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var reader = try await reader(program)
        _ = try await reader.next("snapshot")
        for value in 1...5 { _ = await program.send("PATCH", "/settings/limits.burst", "\(value)") }
        for value in 1...5 {
            let event = try await reader.next("change")
            guard case .array(let changes)? = event.data?["changes"] else { continue }
            #expect(changes.first?["new"] == .integer(Int64(value)))
            #expect(event.data?["author"] == .string("alice") && event.id != nil)
        }
        #expect(reader.lastID == program.store.history.token?.description)
        _ = await program.send("PATCH", "/settings/admin.password", "\"another\"")
        let event = try await reader.next("change")
        guard case .array(let changes)? = event.data?["changes"] else { return }
        #expect(changes == [.dictionary(["key": .string("admin.password"), "isSecret": .bool(true)])])
    }

    @Test("A client that comes back gets what it has missed") func clientComesBackGets() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let id = try #require(program.store.history.token?.description)
        for value in 1...3 { _ = await program.send("PATCH", "/settings/limits.burst", "\(value)") }
        var reader = try await reader(program, after: id)
        for value in 1...3 {
            let event = try await reader.next("change")
            guard case .array(let changes)? = event.data?["changes"] else { continue }
            #expect(changes.first?["new"] == .integer(Int64(value)))
        }
        #expect(await program.get("/metrics").text.contains("settings_resumptions_total 1\n"))
    }

    @Test("An identifier that is not known leads to a snapshot", arguments: ["x", "0-1-2"])
    func identifierKnownLeadsSnapshot(
        id: String
    ) async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var reader = try await reader(program, after: id)
        let snapshot = try await reader.next("snapshot")
        #expect(snapshot.data?["missed"] == .bool(true))
        #expect(await program.get("/metrics").text.contains("settings_lost_resumptions_total 1\n"))
    }

    @Test("Heartbeats show that the stream is alive") func heartbeatsShowStreamAlive() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var reader = try await reader(program)
        _ = try await reader.next("snapshot")
        await program.clock.sleepers(atLeast: 1)
        program.clock.advance(by: .seconds(15))
        #expect(await reader.next()?.comment == "still here")
    }

    @Test("A stream ends when its token is removed, without another event") func streamEndsWhenToken() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var reader = try await reader(program)
        _ = try await reader.next("snapshot")
        try await program.store.commit {
            program.app.admin.tokens = Secret(["dave": APIToken("dave-0123456789abcdef")])
            program.app.greeting = "unseen"
        }
        #expect(await reader.next()?.name == nil)
    }

    @Test("A token that is removed while an event is made does not get it") func tokenRemovedMeanwhile() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.overrides, .application], configuration: .init(history: .keep()))
        let limits = try await store.group(APIProgram.Limits.self)
        try await limits.commit { limits.burst = 5 }
        let tokens = LockedValue(["alice": APIToken("alice-0123456789abcdef")])
        let (removesNext, change) = (LockedValue(false), LockedValue<SettingOverride?>(nil))
        let access = APITokens {
            let found = tokens.withLock { $0 }
            let removes = removesNext.withLock { removes in
                defer { removes = false }
                return removes
            }
            // Just after they were read.
            if removes {
                tokens.withLock { $0 = [:] }
                let unseen = try? store.domains.override(limits.$burst, with: 7)
                change.withLock { $0 = unseen }
            }
            return found
        }
        let api = SettingsAPI(store, groups: APIProgram.Limits.self, configuration: .init(access: .tokens(access)))
        let request = WebRequest(
            method: "GET", target: "/settings/changes",
            headers: [("Host", "localhost"), ("Authorization", "Bearer alice-0123456789abcdef")])
        var reader = try StreamReader(Answer(response: await api.respond(to: request)))
        _ = try await reader.next("snapshot")
        removesNext.withLock { $0 = true }
        #expect(await reader.next()?.name == nil)
        #expect(limits.burst == 7)
        try await store.close()
    }

    @Test("A stream ends when it is ended, and when the store closes") func streamEndsWhenEnded() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var reader = try await reader(program)
        _ = try await reader.next("snapshot")
        reader.events.end()
        #expect(await reader.next()?.name == nil)
        var last = try await self.reader(program)
        _ = try await last.next("snapshot")
        try await program.store.commit { program.app.greeting = "last" }
        try await program.store.close()
        #expect(try await last.next("change").id != nil)
        #expect(await last.next()?.name == nil)
    }

    @Test("A client of some keys sees only these") func clientSomeKeysSees() async throws {
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        var reader = try await reader(program, by: "carol")
        let snapshot = try await reader.next("snapshot")
        #expect(snapshot.data?["values"]?["limits.burst"] != nil && snapshot.data?["values"]?["greeting"] == nil)
        try await program.store.commit { program.app.greeting = "unseen" }
        try await program.store.commit { (program.app.greeting, program.app.limits.burst) = ("also unseen", 5) }
        let event = try await reader.next("change")
        guard case .array(let changes)? = event.data?["changes"] else { return }
        #expect(changes.map { $0["key"] } == [.string("limits.burst")])
    }

    @Test("There are at most so many streams, and a closed one makes room") func thereMostSoMany() async throws {
        let program = try await APIProgram { $0.streamLimit = 1 }
        do {
            let first = await program.get("/settings/changes")
            #expect(first.status == 200)
            let second = await program.get("/settings/changes")
            #expect(second.status == 503 && second.problem == "too-many-streams")
            #expect(second.field("Retry-After") == "5")
            #expect(await program.get("/metrics").text.contains("settings_api_streams 1\n"))
            withExtendedLifetime(first) {}
        }
        #expect(await program.send("HEAD", "/settings/changes").status == 200)
        #expect(await program.get("/settings/changes").status == 200)
    }

    @Test("A client that takes nothing loses its stream, which counts until the server has released it")
    func clientTakesNothingLoses() async throws {
        let program = try await APIProgram {
            ($0.streamLimit, $0.heartbeat, $0.streamStallLimit) = (1, .seconds(15), .seconds(30))
        }
        try await program.store.commit { program.app.greeting = "begun" }
        do {
            var reader = try await reader(program)
            _ = await reader.next()
            // The first beat may come at once after the event, so the limit has passed only with the third one.
            for _ in 1...3 {
                await program.clock.sleepers(atLeast: 1)
                #expect(await program.get("/metrics").text.contains("settings_api_stalled_streams_total 0\n"))
                program.clock.advance(by: .seconds(15))
            }
            // The beat that ends it begins another sleep.
            await program.clock.sleepers(atLeast: 1)
            #expect(await program.get("/metrics").text.contains("settings_api_stalled_streams_total 1\n"))
            #expect(await program.get("/settings/changes").status == 503)
            while let event = await reader.next() { #expect(event.name != "change") }
        }
        #expect(await program.get("/settings/changes").status == 200)
    }

    @Test("A storage that does not answer holds up neither heartbeats nor the end of a stream") func slowStorage()
        async throws
    {
        let storage = HeldHistory()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        let limits = try await store.group(APIProgram.Limits.self)
        try await limits.commit { limits.burst = 5 }
        let clock = ManualClock()
        var configuration = SettingsAPI.Configuration(access: .open)
        configuration.sleep = { try await clock.sleep(for: $0) }
        let api = SettingsAPI(store, groups: APIProgram.Limits.self, configuration: configuration)
        let request = WebRequest(method: "GET", target: "/settings/changes", headers: [("Host", "localhost")])
        var reader = try StreamReader(Answer(response: await api.respond(to: request)))
        #expect(await reader.next()?.name == "covered")
        storage.hold()
        // The snapshot needs the storage.
        for _ in 1...2 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(15))
            #expect(await reader.next()?.comment == "still here")
        }
        await storage.waitUntilAsked()
        reader.events.end()
        #expect(await reader.next()?.name == nil)
        storage.release()
        var next = try StreamReader(Answer(response: await api.respond(to: request)))
        #expect(try await next.next("snapshot").data?["values"]?["burst"] == .integer(5))
        try await store.close()
    }

    @Test("A stream counts as one subscriber until it ends") func oneSubscriber() async throws {
        let program = try await APIProgram()
        let before = program.store.statistics.subscribers
        var reader: StreamReader? = try StreamReader(await program.get("/settings/changes"))
        #expect(await reader?.next()?.name == "covered")
        #expect(program.store.statistics.subscribers == before + 1)
        reader = nil
        try await eventually("the stream has unsubscribed") { program.store.statistics.subscribers == before }
    }

    private func events(of program: APIProgram) async throws -> WebEvents {
        guard case .events(let events) = await program.get("/settings/changes").response.body else {
            throw StreamReader.NoStream()
        }
        return events
    }

    @Test("The write of a client that takes nothing is cancelled") func writeClientTakesNothing() async throws {
        let program = try await APIProgram {
            ($0.heartbeat, $0.streamStallLimit) = (.seconds(600), .seconds(30))
        }
        try await program.store.commit { program.app.greeting = "begun" }
        let events = try await events(of: program)
        let (room, continuation) = AsyncStream.makeStream(of: Never.self)
        let sending = Task {
            // Ends only when its task is cancelled.
            try await events.send { _ in for await _ in room {} }
        }
        // Those of the heartbeat and of the limit.
        await program.clock.sleepers(atLeast: 2)
        program.clock.advance(by: .seconds(30))
        await #expect(throws: WebEvents.StalledClient.self) { try await sending.value }
        #expect(await program.get("/metrics").text.contains("settings_api_stalled_streams_total 1\n"))
        continuation.finish()
    }

    @Test("A client that takes each part of a long event in time keeps its stream") func slowClientKeepsStream()
        async throws
    {
        let program = try await APIProgram {
            ($0.heartbeat, $0.streamStallLimit) = (.seconds(15), .seconds(30))
        }
        try await program.store.commit { program.app.greeting = String(repeating: "x", count: 200_000) }
        let events = try await events(of: program)
        let clock = program.clock
        let size = LockedValue(0)
        try await events.send { part in
            // Those of the heartbeat and of the limit.
            await clock.sleepers(atLeast: 2)
            clock.advance(by: .seconds(15))
            let taken = size.withLock { size in
                size += part.count
                return size
            }
            if taken > 200_000 { events.end() }
        }
        #expect(size.withLock { $0 } > 200_000)
        #expect(await program.get("/metrics").text.contains("settings_api_stalled_streams_total 0\n"))
    }

    @Test("A server's error ends the sending, and so does the end of the events") func serversErrorEnds() async throws {
        struct Gone: Error {}
        let program = try await APIProgram()
        try await program.store.commit { program.app.greeting = "begun" }
        let first = try await events(of: program)
        await #expect(throws: Gone.self) { try await first.send { _ in throw Gone() } }
        let second = try await events(of: program)
        let pieces = LockedValue(0)
        try await second.send { piece in
            pieces.withLock { $0 += piece.isEmpty ? 0 : 1 }
            second.end()
        }
        #expect(pieces.withLock { $0 } == 1)
        #expect(await program.get("/metrics").text.contains("settings_api_stalled_streams_total 0\n"))
    }
}

/// A storage whose history can't be read while it is held.
private final class HeldHistory: StorageWrapper {
    let base: any Storage = InMemoryStorage()
    private let isHeld = LockedValue(false)
    private let (room, roomEnd) = AsyncStream.makeStream(of: Never.self)
    private let (requests, request) = AsyncStream.makeStream(of: Void.self)

    func hold() { isHeld.withLock { $0 = true } }

    func release() {
        isHeld.withLock { $0 = false }
        roomEnd.finish()
    }

    func waitUntilAsked() async {
        for await _ in requests { return }
    }

    func withheldKeys() async throws(StorageError) -> Set<SettingKey> {
        if isHeld.withLock({ $0 }) {
            request.yield()
            for await _ in room {}
        }
        return try await history?.withheldKeys() ?? []
    }
}
