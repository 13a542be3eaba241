import Settle
import SettleHTTP
import SettlePanel
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whose a session is, how it ends, and what the program is told of it.
@Suite(.timeLimit(.minutes(10))) struct PanelSessionTests {
    private func program(
        _ key: PanelKey = PanelKey(), _ configure: (inout SettingsPanel.Configuration) -> Void = { _ in }
    ) async throws -> PanelProgram {
        try await PanelProgram(access: .sessions(key, TestAuthentication()), configure: configure)
    }

    private func enter(_ program: PanelProgram, as name: String?) async -> PanelBrowser {
        let browser = PanelBrowser(program.panel)
        #expect(await browser.enter(program.panel.makeLink(for: name)).status == 303)
        return browser
    }

    /// The identifiers of the sessions that the list shows, by their names.
    private func sessions(_ browser: PanelBrowser) async -> [String: String] {
        let page = await browser.get("/sessions").text
        let found = page.matches(of: /class="change">([^<]*)<.*?name="session" value="([^"]*)"/.dotMatchesNewlines())
        return Dictionary(found.map { (String($0.1), String($0.2)) }) { first, _ in first }
    }

    @Test("A change has the name that the link was made for, in the history and in a conflict")
    func authors() async throws {
        let program = try await program()
        let (carol, dave) = (await enter(program, as: "carol"), await enter(program, as: " dave\n"))
        let page = "/pane?id=limits"
        let old = await dave.get(page).form(of: "limits.count")
        #expect(await carol.change("limits.count", [("value", "9")], on: page).status == 303)
        let conflict = await dave.post("/set", old + [("value", "5")])
        #expect(conflict.status == 409 && conflict.text.contains("“carol” has changed this in the meantime."))
        #expect(await dave.change("limits.name", [("value", "d")], on: page).status == 303)
        #expect(await carol.get("/why?key=limits.name").text.contains("by “dave”"))
        #expect(await carol.get(page).text.contains("Signed in as “carol”"))
        let authors = try await program.store.history.entries().reduce(into: [String?]()) { $0.append($1.author.name) }
        #expect(authors == ["dave", "carol"])
        // A link for nobody in particular.
        let nobody = await enter(program, as: nil)
        #expect(await nobody.change("limits.count", [("value", "2")], on: page).status == 303)
        #expect(await nobody.get("/why?key=limits.count").text.contains("by “panel”"))
    }

    @Test("The name of a link can't be changed, and its page shows it as text")
    func signedNames() async throws {
        let program = try await program()
        let link = program.panel.makeLink(for: "<b>eve")
        #expect(await program.browser.get(link).text.contains("&lt;b&gt;eve"))
        // The name is the end of the link, in hexadecimal digits.
        #expect(link.hasSuffix("3c623e657665"))
        let cut = String(link.dropLast(2))
        for forged in [cut, "\(cut)66", "\(link)65", "\(link)6", "/enter?link="] {
            #expect(await program.browser.get(forged).status == 401, "\(forged)")
            #expect(await program.browser.enter(forged).status == 401, "\(forged)")
        }
        #expect(await program.browser.enter(link).status == 303)
    }

    @Test("A server that has authenticated the user states the name itself")
    func namesOfTheServer() async throws {
        let program = try await PanelProgram()
        var request = WebRequest(
            method: "POST", target: "/set",
            headers: [("Host", "localhost"), ("Origin", "http://localhost")],
            body: Array("key=limits.count&value=9".utf8))
        request.user = "erin"
        #expect(await program.panel.respond(to: request).status == 303)
        #expect(await program.browser.get("/why?key=limits.count").text.contains("by “erin”"))
        // With sessions, only a link gives a name.
        let other = try await self.program()
        #expect(await other.panel.respond(to: request).status == 401)
    }

    @Test("Who signs out is out at once, with every copy of the cookie, and the link does not let in again")
    func signOut() async throws {
        let program = try await program()
        let link = program.panel.makeLink(for: "carol")
        let browser = PanelBrowser(program.panel)
        _ = await browser.enter(link)
        let (name, cookie) = (try #require(browser.cookieName), try #require(browser.cookie))
        #expect(await browser.post("/leave", [("form", "x")]).status == 403)
        #expect(await browser.get("/").status == 200)
        let farewell = await browser.press("/leave", on: "/")
        #expect(farewell.status == 200 && farewell.text.contains("You have signed out"))
        #expect(farewell.field("Set-Cookie")?.contains("Max-Age=0") == true)
        #expect(await browser.get("/").status == 401)
        browser.setCookie(cookie, named: name)
        #expect(await browser.get("/").status == 401)
        #expect(await browser.enter(link).status == 401)
    }

    @Test("The list shows each session with its name and browser, and ends one without the others")
    func list() async throws {
        let program = try await program()
        let carol = await enter(program, as: "carol")
        let dave = PanelBrowser(program.panel)
        let link = program.panel.makeLink(for: "dave")
        let headers = [(name: "Origin", value: "http://localhost:8080"), (name: "User-Agent", value: "Fox <1>")]
        _ = await dave.post("/enter", [("link", String(link.split(separator: "=").last ?? ""))], headers)
        #expect(await carol.get("/sessions").text.contains("Fox &lt;1&gt;"))
        let open = await sessions(carol)
        #expect(Set(open.keys) == ["carol", "dave"])
        #expect(await carol.press("/sessions/end", on: "/sessions", [("session", open["dave"] ?? "")]).status == 303)
        #expect(await dave.get("/").status == 401)
        #expect(await sessions(carol).keys.sorted() == ["carol"])
        #expect(await carol.press("/sessions/end", on: "/sessions", [("session", "unknown")]).status == 303)
        #expect(await carol.get("/").status == 200)
        #expect(await PanelBrowser(program.panel).get("/sessions").status == 401)
    }

    @Test("Use does not move the end of a session beyond its limit")
    func limit() async throws {
        let program = try await program {
            $0.sessionLifetime = .seconds(100)
            $0.sessionLimit = .seconds(250)
        }
        _ = await program.browser.enter()
        for _ in 0..<4 {
            program.time.pass(60)
            #expect(await program.browser.get("/").status == 200)
        }
        #expect(await sessions(program.browser).count == 1)
        program.time.pass(9)
        #expect(await program.browser.get("/").status == 200)
        program.time.pass(1)
        #expect(await program.browser.get("/").status == 401)
        _ = await program.browser.enter()
        #expect(await sessions(program.browser).count == 1)
    }

    @Test("A session that was ended stays so after a restart, and a spent link stays spent")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "key")
        let sessions = folder.url.appending(path: "state/list.json")
        func program() async throws -> PanelProgram { try await self.program(PanelKey(file: file, sessions: sessions)) }
        var (link, name, ended, open) = ("", "", "", "")
        do {
            let first = try await program()
            link = first.panel.makeLink()
            _ = await first.browser.enter(link)
            (name, ended) = (try #require(first.browser.cookieName), try #require(first.browser.cookie))
            _ = await first.browser.press("/leave", on: "/")
            open = try #require(await enter(first, as: "carol").cookie)
        }
        // Who reads the list can't make a cookie of it.
        let signature = Data(try #require(open.split(separator: ".").last).utf8)
        let state = sessions.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
            let path = state.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0, "\(name)")
            #expect(FileManager.default.contents(atPath: path)?.firstRange(of: signature) == nil, "\(name)")
        }
        let again = try await program()
        again.browser.setCookie(open, named: name)
        #expect(await again.browser.get("/").text.contains("Signed in as “carol”"))
        again.browser.setCookie(ended, named: name)
        #expect(await again.browser.get("/").status == 401)
        #expect(await again.browser.enter(link).status == 401)
    }

    @Test("A session that begins far in the future, by a change of the file, ends when its cookie does")
    func farBeginning() async throws {
        let folder = try TemporaryFolder()
        let (file, list) = (folder.url.appending(path: "key"), folder.url.appending(path: "list.json"))
        var (name, cookie) = ("", "")
        do {
            let browser = await enter(try await program(PanelKey(file: file, sessions: list)), as: "carol")
            (name, cookie) = (try #require(browser.cookieName), try #require(browser.cookie))
        }
        let store = try await SettingsStore.open(at: list)
        let key = "sessions.\(cookie.prefix { $0 != "." }).began"
        try await store.commit { try store.keys.setValue(SettingValue.integer(.max), forKey: key) }
        try await store.close()
        let again = try await program(PanelKey(file: file, sessions: list))
        again.browser.setCookie(cookie, named: name)
        #expect(await again.browser.get("/").status == 200)
        #expect(await sessions(again.browser).keys.sorted() == ["carol"])
        again.time.pass(7 * 24 * 3_600)
        #expect(await again.browser.get("/").status == 401)
    }

    @Test("Another process with the same key makes a link for a running server, which works once")
    func linksOfOthers() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "key")
        let server = try await program(PanelKey(file: file))
        let other = try await program(PanelKey(file: file))
        let link = other.panel.makeLink(for: "carol")
        #expect(await server.browser.enter(link).status == 303)
        #expect(await server.browser.get("/").text.contains("Signed in as “carol”"))
        #expect(await other.browser.enter(link).status == 401)
        let stranger = try await program()
        #expect(await server.browser.get(stranger.panel.makeLink()).status == 401)
    }

    @Test("Sessions that can't be read let nobody in, and the sentence names the file")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "key")
        let first = try await program(PanelKey(file: file))
        _ = await first.browser.enter()
        // A file is where the folder of the list should be.
        let broken = try await program(PanelKey(file: file, sessions: file.appending(path: "list.json")))
        broken.browser.setCookie(
            try #require(first.browser.cookie), named: first.browser.cookieName)
        let answer = await broken.browser.get("/")
        #expect(answer.status == 503 && answer.text.contains("list.json"), "\(answer.text)")
        #expect(await broken.browser.enter().status == 503)
    }

    @Test("A stream ends with the next change after its session was ended, and does not show it")
    func streams() async throws {
        let program = try await program { $0.heartbeat = .seconds(1000) }
        let (carol, dave) = (await enter(program, as: "carol"), await enter(program, as: "dave"))
        let address = try await dave.get("/pane?id=limits").eventsAddress
        var reader = try PanelEventReader(await dave.get(address).response)
        _ = try await reader.next()
        let open = await sessions(carol)
        _ = await carol.press("/sessions/end", on: "/sessions", [("session", open["dave"] ?? "")])
        program.app.limits.name = "after the end"
        #expect(await reader.pieces.next() == nil)
    }

    @Test("A session that ends while the first event of its stream is made does not get it")
    func endBeforeFirstEvent() async throws {
        let storage = HeldRecords()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        let limits = try await store.group(PanelProgram.Limits.self)
        let panel = SettingsPanel(
            store, groups: PanelProgram.Limits.self,
            configuration: .init(title: "x", access: .sessions(PanelKey(), TestAuthentication())))
        let (carol, dave) = (PanelBrowser(panel), PanelBrowser(panel))
        _ = await carol.enter(panel.makeLink(for: "carol"))
        _ = await dave.enter(panel.makeLink(for: "dave"))
        try await store.commit { limits.count = 4 }
        let address = try await dave.get("/").eventsAddress
        // What has been stored since is looked for in the history.
        try await store.commit { limits.count = 5 }
        let stream = await dave.get(address).response
        storage.hold()
        let first = Task {
            var reader = try PanelEventReader(stream)
            return await reader.pieces.next()
        }
        await storage.waitUntilAsked()
        let open = await sessions(carol)
        #expect(await carol.press("/sessions/end", on: "/sessions", [("session", open["dave"] ?? "")]).status == 303)
        limits.name = "after the end"
        storage.release()
        #expect(try await first.value == nil)
        try await store.close()
    }

    private final class AuditEvents: Sendable {
        private let list = Mutex<[PanelAuditEvent]>([])

        func add(_ event: PanelAuditEvent) { list.withLock { $0.append(event) } }

        func take() -> [PanelAuditEvent] {
            list.withLock { list in
                defer { list = [] }
                return list
            }
        }
    }

    @Test("The program is told who came and went, what was changed and what was refused, without links and values")
    func audit() async throws {
        let events = AuditEvents()
        let program = try await program { $0.audit = { events.add($0) } }
        let (carol, dave) = (await enter(program, as: "carol"), await enter(program, as: "dave"))
        #expect(events.take().map(\.kind) == [.entered, .entered])
        let page = "/pane?id=limits"
        #expect(await carol.change("limits.count", [("value", "9")], on: page).status == 303)
        #expect(await carol.change("limits.count", [("value", "99")], on: page).status == 422)
        let changes = events.take()
        #expect(changes.map(\.kind) == [.changed(keys: ["limits.count"]), .refused(status: 422)])
        #expect(changes.allSatisfy { $0.user == "carol" && $0.method == "POST" && $0.path == "/set" })
        #expect(await carol.press("/reset", on: "/", [("pane", "limits")]).status == 303)
        #expect(events.take().map(\.kind) == [.changed(keys: ["limits.count"])])
        // Nothing is left to be reset.
        #expect(await carol.press("/reset", on: "/", [("pane", "limits")]).status == 303)
        #expect(events.take().isEmpty)
        let open = await sessions(carol)
        _ = await carol.press("/sessions/end", on: "/sessions", [("session", open["dave"] ?? "")])
        #expect(await dave.get("/why?key=limits.count").status == 401)
        #expect(await carol.get("/nothing").status == 404)
        #expect(await carol.get("/", [("Host", "evil.example")]).status == 421)
        _ = await carol.press("/leave", on: "/")
        let rest = events.take()
        #expect(
            rest.map(\.kind) == [
                .endedSession(of: "dave"), .refused(status: 401), .refused(status: 421), .left,
            ])
        #expect(rest.map(\.user) == ["carol", nil, nil, "carol"])
        #expect(rest.map(\.path) == ["/sessions/end", "/why", "/", "/leave"])
    }

    @Test("A partial undo is audited with what it has put back, and a value that others have stored is not")
    func auditOfOthers() async throws {
        let events = AuditEvents()
        let program = try await PanelProgram { $0.audit = { events.add($0) } }
        let (browser, limits) = (program.browser, program.app.limits)
        try await program.store.commit { (limits.count, limits.name) = (9, "y") }
        let why = await browser.get("/why?key=limits.count").text
        let token = String(try #require(why.firstMatch(of: /name="token" value="([^"]+)"/)).1)
        let old = await browser.get("/pane?id=limits").form(of: "limits.name")
        try await program.store.commit { limits.name = "z" }
        let undone = await browser.post("/undo", [("token", token), ("key", "limits.count")])
        #expect(undone.status == 409 && undone.text.contains("left alone: “Name”. The others were undone."))
        #expect(limits.count == 3 && limits.name == "z")
        #expect(events.take().map(\.kind) == [.changed(keys: ["limits.count"])])
        #expect(await browser.post("/set", old + [("value", "z")]).status == 303)
        #expect(events.take().isEmpty)
    }

    @Test("A new link ends the session that the browser had")
    func replaced() async throws {
        let program = try await program()
        let browser = await enter(program, as: "carol")
        let (name, cookie) = (try #require(browser.cookieName), try #require(browser.cookie))
        #expect(await browser.enter(program.panel.makeLink(for: "dave")).status == 303)
        #expect(await sessions(browser).keys.sorted() == ["dave"])
        browser.setCookie(cookie, named: name)
        #expect(await browser.get("/").status == 401)
    }

    @Test(
        "A name for logs and histories has no control characters and an end",
        arguments: [
            ("carol", "carol"), (" a b ", "a b"), ("a\nb\u{2028}c", "abc"), ("", nil), ("\t \n", nil),
            (String(repeating: "ä", count: 100), String(repeating: "ä", count: 64)),
        ] as [(String, String?)])
    func usableNames(name: String, usable: String?) async throws {
        let program = try await program()
        let browser = await enter(program, as: name)
        let page = await browser.get("/").text
        if let usable {
            #expect(page.contains("Signed in as “\(usable)”"))
        } else {
            #expect(!page.contains("Signed in as"))
        }
    }
}

/// A storage whose history does not answer while it is held.
private final class HeldRecords: StorageWrapper {
    let base: any Storage = InMemoryStorage()
    private let isHeld = Mutex(false)
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

    func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        if isHeld.withLock({ $0 }) {
            request.yield()
            for await _ in room {}
        }
        return try await history?.records(after: token, limit: limit)
    }
}
