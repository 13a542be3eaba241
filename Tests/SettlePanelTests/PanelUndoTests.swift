import Settle
import SettleHTTP
import SettleInterchange
import SettlePanel
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an undo on a page may write: no more than a person can change there.
@Suite(.timeLimit(.minutes(10))) struct PanelUndoTests {
    private struct Owned: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var attempts = 7
    }

    private struct App: SettingsGroup {
        @Setting var name = "x"
        @Setting var ports: [String: Int] = [:]
        let owned = Owned()
    }

    private struct Framed: SettingsGroup {
        struct Window: SettingsGroup {
            @Setting var width = 1
        }
        let window = Window()
    }

    /// A store of a program that has gone, with one transaction for several settings.
    private func store(
        in folder: TemporaryFolder, _ write: @escaping @Sendable (App, SettingsStore) throws -> Void
    ) async throws -> (store: SettingsStore, schema: SettingValue) {
        let file = folder.url.appending(path: "app.json")
        let configuration = SettingsStore.Configuration(history: .keep(transactions: 10))
        let first = try await SettingsStore.open(at: file, configuration: configuration)
        let app = try await first.group(App.self)
        try await first.commit(author: "alice") { try write(app, first) }
        let schema = first.file.schema().jsonSchema
        try await first.close()
        return (try await SettingsStore.open(at: file, configuration: configuration), schema)
    }

    private func undo(_ key: String, _ panel: SettingsPanel) async throws -> PanelBrowser.Answer {
        let browser = PanelBrowser(panel)
        let why = await browser.get("/why?key=\(key)").text
        let token = try #require(why.firstMatch(of: /name="token" value="([^"]+)"/)).1
        return await browser.post("/undo", [("token", String(token)), ("key", key)])
    }

    private let configuration = SettingsPanel.Configuration(title: "x", access: .everyone)

    @Test("An undo does not write what is its owner's, of which only the schema tells")
    func undoWriteOwner() async throws {
        let folder = try TemporaryFolder()
        let (store, schema) = try await store(in: folder) { app, _ in
            (app.name, app.owned.attempts) = ("y", 8)
        }
        let answer = try await undo("name", SettingsPanel(store, jsonSchema: schema, configuration: configuration))
        #expect(answer.status == 422 && answer.text.contains("“Attempts” can’t be changed here"))
        #expect(try store.keys.value(forKey: "owned.attempts") == 8 && store.keys.value(forKey: "name") == "y")
    }

    @Test("An undo does not write what no page shows") func undoWritePage() async throws {
        let folder = try TemporaryFolder()
        let (store, schema) = try await store(in: folder) { app, store in
            app.name = "y"
            try store.keys.setValue(true, forKey: "hidden")
        }
        let bundle = SettingsBundle(
            root: .init(specifiers: [.init(.textField(.init()), key: "name", defaultValue: .string("x"))]))
        for panel in [
            SettingsPanel(store, jsonSchema: schema, configuration: configuration),
            SettingsPanel(store, bundle: bundle, configuration: configuration),
        ] {
            let answer = try await undo("name", panel)
            #expect(answer.status == 422 && answer.text.contains("hidden"))
            #expect(try store.keys.value(forKey: "hidden") == true && store.keys.value(forKey: "name") == "y")
        }
    }

    @Test("An undo takes back all that the pages show, also parts of it") func undoTakesBack() async throws {
        let folder = try TemporaryFolder()
        let (store, schema) = try await store(in: folder) { app, _ in
            (app.name, app.ports) = ("y", ["web": 80])
        }
        let answer = try await undo("name", SettingsPanel(store, jsonSchema: schema, configuration: configuration))
        #expect(answer.status == 303)
        let (name, ports): (String?, SettingValue?) = try (
            store.keys.value(forKey: "name"), store.keys.value(forKey: "ports")
        )
        #expect(name == nil && ports == nil)
    }

    @Test("An undo takes back a setting whose value is stored under a name with dots") func undoDottedName()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        try Data(#"{"window.width": 7}"#.utf8).write(to: file)
        let store = try await SettingsStore.open(at: file, configuration: .init(history: .keep(transactions: 10)))
        let app = try await store.group(Framed.self)
        try await store.commit { app.window.width = 8 }
        let panel = SettingsPanel(store, groups: Framed.self, configuration: configuration)
        #expect(try await undo("window.width", panel).status == 303)
        #expect(app.window.width == 7)
    }

    @Test("A panel for whatever is stored puts back what was removed with something else")
    func panelStoredPuts() async throws {
        let folder = try TemporaryFolder()
        let (store, _) = try await store(in: folder) { app, store in
            (app.name, app.ports) = ("y", ["web": 80])
        }
        try await store.commit {
            try store.keys.removeValue(forKey: "ports")
            try store.keys.setValue("z", forKey: "name")
        }
        #expect(try await undo("name", SettingsPanel(valuesOf: store, configuration: configuration)).status == 303)
        #expect(try store.keys.value(forKey: "name") == "y")
        let ports: SettingValue? = try store.keys.value(forKey: "ports")
        #expect(ports == .dictionary(["web": .integer(80)]))
    }
}
