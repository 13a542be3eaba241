import Settle
import SettleHTTP
import SettleInterchange
import SettlePanel
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The panels of several programs, and the page that lists them.
@Suite(.timeLimit(.minutes(10))) struct PanelDirectoryTests {
    private struct App: SettingsGroup {
        @Setting(in: 0...20, title: "Most attempts") var count = 3
        @Setting(title: "Token") var token = Secret("hunter2")
    }

    private struct Newer: SettingsGroup {
        @Setting(in: 0...20, title: "Most attempts") var count = 3
        @Setting(title: "Colour") var colour = "red"
    }

    /// A program's stored settings, perhaps with its schema.
    private func domain(
        _ name: String, in folder: TemporaryFolder, _ type: (any SettingsGroup.Type)? = nil
    ) async throws -> ProgramDomain {
        let file = folder.url.appending(path: "\(name)/settings.json")
        let store = try await SettingsStore.open(at: file)
        if let type {
            _ = try await store.group(type)
            _ = try await store.file.writeSchema()
        }
        try await store.commit { try store.keys.setValue(7, forKey: "count") }
        try await store.close()
        return ProgramDomain(name: name, file: file)
    }

    private final class Entries: Sendable {
        private let list: Mutex<[PanelDirectory.Entry]>
        init(_ list: [PanelDirectory.Entry]) { self.list = Mutex(list) }
        var current: [PanelDirectory.Entry] {
            get { list.withLock(\.self) }
            set { list.withLock { $0 = newValue } }
        }
    }

    private func directory(
        _ entries: Entries, path: String = "", access: SettingsPanel.Configuration.Access = .everyone
    ) -> PanelDirectory {
        PanelDirectory(configuration: .init(title: "Programs", path: path, access: access)) { entries.current }
    }

    private static let bundle = SettingsBundle(
        title: "Painter",
        root: .init(specifiers: [.init(.toggle(.init()), key: "sounds", title: "Sounds", defaultValue: .bool(true))]))

    private func titles(_ page: String) -> [String] {
        page.matches(of: /<a class="pane" href="[^"]*"><span>([^<]*)</).map { String($0.1) }
    }

    @Test("The front page lists what there is then, each once, and leads to it and back")
    func frontPageLists() async throws {
        let folder = try TemporaryFolder()
        let entries = Entries([])
        let directory = directory(entries, path: "/all")
        let browser = PanelBrowser(directory)
        #expect(await browser.get("/").text.contains("No program has stored settings yet."))
        let editor = try await domain("org.example.editor", in: folder)
        entries.current = [
            .domain(editor), .bundle(Self.bundle, editor),
            .bundle(.init(title: "Twin", root: Self.bundle.root), editor),
        ]
        let page = await browser.get("/").text
        #expect(titles(page) == ["org.example.editor", "Painter"])
        let links = page.matches(of: /<a class="pane" href="\/all([^"]*)"/).map { String($0.1) }
        try #require(links.count == 2)
        #expect(links == entries.current.prefix(2).map { String(directory.path(of: $0).dropFirst("/all".count)) })
        let panels = [await browser.get(links[0]), await browser.get(links[1])]
        #expect(panels[0].text.contains("data-key=\"count\"") && panels[1].text.contains("data-key=\"sounds\""))
        #expect(panels.allSatisfy { $0.status == 200 && $0.text.contains("href=\"/all/\">All programs<") })
        for place in ["/of/x/", "/of/", "/of/domain%3Anothing/", "/of/domain%3A..%2F..%2Fetc/"] {
            let missing = await browser.get(place)
            #expect(missing.status == 404 && titles(missing.text).count == 2, "\(place)")
        }
    }

    @Test("Nobody sees the list or a panel of it without a session, and one session is for all")
    func nobodySeesList() async throws {
        let folder = try TemporaryFolder()
        let entries = Entries([.domain(try await domain("org.example.editor", in: folder))])
        let directory = directory(entries, access: .sessions(PanelKey(), TestAuthentication()))
        let place = directory.path(of: entries.current[0])
        let stranger = PanelBrowser(directory)
        for path in [
            "/", "/search?q=org", place, "\(place)json?pane=", "\(place)pane?id=", "\(place)why?key=count",
            "\(place)events",
        ] {
            let answer = await stranger.get(path)
            #expect(answer.status == 401 && !answer.text.contains("org.example"), "\(path)")
        }
        #expect(await stranger.post("\(place)set", [("key", "count"), ("value", "9")]).status == 401)
        let browser = PanelBrowser(directory)
        #expect(await browser.enter().status == 303)
        #expect(await browser.get("/").status == 200)
        #expect(await browser.get(place).status == 200)
        let link = directory.makeLink(to: place)
        let secret = try #require(link.firstMatch(of: /link=([0-9a-f]+)/)).1
        let to = try #require(await stranger.get(link).text.firstMatch(of: /name="to" value="([^"]+)"/)).1
        let entered = await stranger.post("/enter", [("link", String(secret)), ("to", String(to))])
        #expect(entered.status == 303 && entered.field("Location") == place)
    }

    @Test("The schema that a program has left gives its titles and rules, and hides its secrets")
    func schemaProgramLeft() async throws {
        let folder = try TemporaryFolder()
        let app = try await domain("org.example.app", in: folder, App.self)
        let directory = directory(Entries([.domain(app)]))
        let place = directory.path(of: .domain(app))
        let browser = PanelBrowser(directory)
        let page = await browser.get(place)
        #expect(page.text.contains("Most attempts") && page.text.contains("value=\"7\""))
        #expect(page.text.contains("type=\"password\"") && !page.text.contains("hunter2"))
        let refused = await browser.post("\(place)set", page.form(of: "count") + [("value", "21")])
        #expect(refused.status == 422 && refused.text.contains("“Most attempts” can’t be 21; allowed: from 0 to 20."))
        let done = await browser.post("\(place)set", page.form(of: "count") + [("value", "20")])
        #expect(done.status == 303 && done.field("Location")?.hasPrefix(place) == true)
        #expect(await browser.get(place).text.contains("value=\"20\""))
    }

    @Test("The page of a value that another program declares names who changed it last")
    func whoChangedLast() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "org.example.app/settings.json")
        let store = try await SettingsStore.open(at: file, configuration: .init(history: .keep(transactions: 10)))
        let app = try await store.group(App.self)
        _ = try await store.file.writeSchema()
        try await store.commit(author: "alice") { app.count = 7 }
        try await store.close()
        let entry = PanelDirectory.Entry.domain(ProgramDomain(name: "org.example.app", file: file))
        let directory = directory(Entries([entry]))
        let (place, browser) = (directory.path(of: entry), PanelBrowser(directory))
        /// The card above the history.
        func source() async throws -> Substring {
            let page = await browser.get("\(place)why?key=count").text
            let start = try #require(page.firstRange(of: "card source")).upperBound
            let end = try #require(page.firstRange(of: "card history")).lowerBound
            return page[start..<end]
        }
        let first = try await source()
        #expect(first.contains("Last changed: ") && first.contains("by “alice”"), "\(first)")
        let change = await browser.get(place).form(of: "count") + [("value", "9")]
        #expect(await browser.post("\(place)set", change).status == 303)
        #expect(try await source().contains("by “panel”"))
        // Nobody has chosen the default, but somebody has gone back to it.
        let reset = await browser.get(place).form(of: "count") + [("action", "reset")]
        #expect(await browser.post("\(place)set", reset).status == 303)
        let last = try await source()
        #expect(last.contains("This is the default.") && last.contains("by “panel”"), "\(last)")
    }

    @Test("The history of stored values does not say who changed a value that covers them")
    func coveringValue() async throws {
        let folder = try TemporaryFolder()
        let covering = ManualDomainSource(DomainContents(SettingTree(["count": .integer(5)])))
        let store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"), searching: [.source("boss", covering), .application],
            configuration: .init(history: .keep(transactions: 10)))
        try await store.commit(author: "alice") { try store.keys.setValue(7, forKey: "count") }
        let panel = SettingsPanel(valuesOf: store, configuration: .init(title: "x", access: .everyone))
        let page = await PanelBrowser(panel).get("/why?key=count").text
        #expect(page.contains("but from: boss.") && page.contains("· alice"))
        #expect(!page.contains("Last changed"))
    }

    @Test("A schema or a bundle that changes is seen when the page is loaded next")
    func schemaBundleChanges() async throws {
        let folder = try TemporaryFolder()
        let app = try await domain("org.example.app", in: folder)
        let entries = Entries([.domain(app), .bundle(Self.bundle, app)])
        let directory = directory(entries)
        let (place, pictures) = (directory.path(of: entries.current[0]), directory.path(of: entries.current[1]))
        let browser = PanelBrowser(directory)
        #expect(!(await browser.get(place).text.contains("Most attempts")))
        for (type, title) in [(App.self, "Token"), (Newer.self, "Colour")] as [(any SettingsGroup.Type, String)] {
            // The program writes what it declares now beside its file.
            let other = try TemporaryFolder()
            let store = try await SettingsStore.open(at: other.url.appending(path: "settings.json"))
            _ = try await store.group(type)
            let schema = try await store.file.writeSchema()
            let target = app.file.deletingLastPathComponent().appending(path: schema.lastPathComponent)
            try Data(contentsOf: schema).write(to: target, options: .atomic)
            #expect(await browser.get(place).text.contains(title))
        }
        #expect(await browser.get(pictures).text.contains("Sounds"))
        var bundle = Self.bundle
        bundle.root.specifiers[0].title = "Noises"
        entries.current[1] = .bundle(bundle, app)
        #expect(await browser.get(pictures).text.contains("Noises"))
    }

    @Test("A program without a schema has its values shown as they are stored")
    func programWithoutSchema() async throws {
        let folder = try TemporaryFolder()
        let app = try await domain("org.example.app", in: folder)
        try Data(#"{"token": "in clear", "count": 7}"#.utf8).write(to: app.file)
        let directory = directory(Entries([.domain(app)]))
        let page = await PanelBrowser(directory).get(directory.path(of: .domain(app))).text
        #expect(page.contains("in clear"))
    }

    @Test("A search on the front page finds settings and names of all programs, and reports those it can't search")
    func search() async throws {
        let folder = try TemporaryFolder()
        let app = try await domain("org.example.app", in: folder, App.self)
        let bad = ProgramDomain(name: "org.example.bad", file: app.file.appending(path: "settings.json"))
        let directory = directory(Entries([.domain(app), .bundle(Self.bundle, app), .domain(bad)]))
        let browser = PanelBrowser(directory)
        #expect(await browser.get("/").text.contains("action=\"/search\""))
        let found = await browser.get("/search?q=attempts").text
        #expect(found.contains("/of/domain%3Aorg.example.app/#c-count\"><span>Most <mark>attempts</mark></span>"))
        #expect(!found.contains("Painter") && found.contains("The settings of “org.example.bad” can’t be searched:"))
        #expect(await browser.get("/search?q=PAINT").text.contains("<mark>Paint</mark>er"))
        let changed = await browser.get("/search?changed=1").text
        #expect(changed.contains("#c-count") && !changed.contains("#c-sounds"))
    }

    @Test("A settings file that can't be opened is told, and does not end the others")
    func settingsFileOpened() async throws {
        let folder = try TemporaryFolder()
        let good = try await domain("org.example.good", in: folder)
        let bad = ProgramDomain(name: "org.example.bad", file: good.file.appending(path: "settings.json"))
        let directory = directory(Entries([.domain(bad), .domain(good)]))
        let browser = PanelBrowser(directory)
        let answer = await browser.get(directory.path(of: .domain(bad)))
        #expect(answer.status == 503 && answer.text.contains("org.example.bad"))
        #expect(await browser.get(directory.path(of: .domain(good))).status == 200)
    }
}
