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

/// Values, keys, titles and requests that want to be something else.
@Suite(.timeLimit(.minutes(10))) struct HostileTextTests {
    private static let markup = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;"

    private func panel(_ values: SettingValue.Entries) async throws -> (PanelBrowser, SettingsStore, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        try await store.commit {
            for (name, value) in values { try store.keys.setValue(value, forKey: SettingKey.path(name)) }
        }
        let panel = SettingsPanel(valuesOf: store, configuration: .init(title: Self.markup, access: .everyone))
        return (PanelBrowser(panel), store, folder)
    }

    /// The elements of a page that nobody but the panel has made.
    private func foreign(_ page: String) -> [String] {
        var own = page
        for name in ["script src=", "script>"] {
            if let range = own.firstRange(of: "<\(name)\"/script.js") ?? own.firstRange(of: "</\(name)") {
                own.removeSubrange(range)
            }
        }
        return own.matches(of: /<\/?(script|img|iframe|svg|object|style|b)\b[^>]*>/).map { String($0.0) }
    }

    @Test("Markup as a value, a key or a title is text, on every page") func markupValueKey() async throws {
        let (browser, _, folder) = try await panel([
            Self.markup: .string(Self.markup), "list": .array([.string(Self.markup)]),
            "nested": .dictionary([Self.markup: .string("x")]), "any": .array([.integer(1), .string(Self.markup)]),
        ])
        defer { _ = folder }
        let key = SettingKey.path(Self.markup).description
        let encoded = key.utf8.map { "%" + String($0, radix: 16) }.joined()
        for place in [
            "/", "/pane?id=nested", "/why?key=\(encoded)", "/search?q=\(encoded)", "/search?q=script", "/reset",
            "/pane?id=\(encoded)", "/nothing\(encoded)",
        ] {
            let page = await browser.get(place).text
            #expect(page.contains("<!DOCTYPE html>"), "\(place)")
            #expect(foreign(page).isEmpty, "\(place): \(foreign(page))")
        }
        let answer = await browser.post("/set", [("key", key), ("value", Self.markup), ("token", "x")])
        #expect(foreign(answer.text).isEmpty)
    }

    @Test("Keys that look alike have controls of their own") func keysLookAlike() async throws {
        let names = ["a", "A", "a_", "a_5f", "é", "e\u{301}", "a-b", "a b", "a/b", "<", "%3C"]
        let (browser, _, folder) = try await panel(
            SettingValue.Entries(uniqueKeysWithValues: names.map { ($0, .string("x")) }))
        defer { _ = folder }
        let page = await browser.get("/").text
        let ids = page.matches(of: /<form class="control" id="([^"]+)"/).map { Array($0.1.utf8) }
        #expect(Set(ids).count == names.count)
        #expect(ids.allSatisfy { $0.allSatisfy { $0 > 0x20 && $0 < 0x7f } })
    }

    @Test(
        "A text that is shown and saved again is the same, byte for byte",
        arguments: [
            "line\rreturn", "nul\0", "tab\tand\nline", "\n", "\n\nfirst", " spaces ", "\u{202E}right to left",
            "e\u{301}",
            "\u{FEFF}mark", "😀", "</textarea>", "\u{1}\u{7f}", "%41+", "&amp;",
        ])
    func textShownSaved(text: String) async throws {
        let (browser, store, folder) = try await panel(["text": .string(text)])
        defer { _ = folder }
        let page = await browser.get("/").text
        var shown = try #require(
            page.firstMatch(of: /<textarea[^>]*>([^<]*)<\/textarea>/)?.1
                ?? page.firstMatch(of: /name="value" value="([^"]*)"/)?.1)[...]
        // A parser of HTML leaves out the first line break.
        if page.contains("<textarea"), shown.first == "\n" { shown = shown.dropFirst() }
        let typed = String(shown).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&#13;", with: "\r")
            .replacing("&amp;", with: "&")
        // A browser sends line breaks as two characters.
        let answer = await browser.post(
            "/set", page.form("text") + [("value", typed.replacing("\n", with: "\r\n"))])
        #expect(answer.status == 303, "\(answer.text)")
        let stored: String? = try store.keys.value(forKey: "text")
        #expect(stored.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(
        "No path leads out of the panel",
        arguments: [
            "/image?name=../../../etc/passwd", "/image?name=/etc/passwd", "/image?name=%00",
            "/image?name=../Root.plist",
            "/image?name=Root.plist", "/image?name=./loud.png", "/image?name=loud.png/", "/image?name=", "/image",
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/style.css/../script.js", "//evil.example/",
            "/pane?id=../x", "/pane?id=../../etc/passwd", "/of/x/",
        ])
    func pathLeadsOut(target: String) async throws {
        let (browser, folder) = try await Self.bundlePanel()
        defer { _ = folder }
        let answer = await browser.get(target)
        #expect(answer.status == 404)
        #expect(!answer.text.contains("root:") && !answer.text.contains("PreferenceSpecifiers"))
        // The names that the bundle has are there.
        #expect(await browser.get("/image?name=loud.png").field("Content-Type") == "image/png")
        #expect(await browser.get("/pane?id=More").status == 200)
    }

    /// A panel for a bundle on the disk, with a picture.
    private static func bundlePanel() async throws -> (PanelBrowser, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let bundle = folder.url.appending(path: "Settings.bundle")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let root = """
            { PreferenceSpecifiers = (
                { Type = PSSliderSpecifier; Key = volume; MinimumValue = 0; MaximumValue = 1; DefaultValue = 0;
                  MaximumValueImage = "loud.png"; MinimumValueImage = "../../../etc/passwd"; },
                { Type = PSChildPaneSpecifier; Title = More; File = More; },
                { Type = PSChildPaneSpecifier; Title = Out; File = "../../etc/passwd"; }); }
            """
        let more = "{ PreferenceSpecifiers = ({ Type = PSToggleSwitchSpecifier; Key = deep; DefaultValue = NO; }); }"
        try Data(root.utf8).write(to: bundle.appending(path: "Root.plist"))
        try Data(more.utf8).write(to: bundle.appending(path: "More.plist"))
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
        try Data(picture).write(to: bundle.appending(path: "loud.png"))
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let panel = SettingsPanel(
            store, bundle: try SettingsBundle.read(at: bundle), configuration: .init(title: "x", access: .everyone))
        return (PanelBrowser(panel), folder)
    }

    @Test("Markup in a bundle is text: as a title, footer, choice, key, file or translation")
    func markupBundleText() async throws {
        let text = Self.markup
        let choice = SettingsBundle.Choice(title: "choice \(text)", value: .string(text))
        let bundle = SettingsBundle(
            title: text,
            root: .init(
                stringsTable: "Root",
                specifiers: [
                    .init(.group(.init(footer: "footer \(text)")), title: "group \(text)"),
                    .init(.toggle(.init()), key: text, title: "translated"),
                    .init(.textField(.init()), key: "field", title: text, defaultValue: .string("default \(text)")),
                    .init(.titleValue(.init(choices: [choice])), key: "label", title: text, defaultValue: choice.value),
                    .init(.titleValue(.init()), title: text, defaultValue: .string("fixed \(text)")),
                    .init(.slider(.init(minimum: 0, maximum: 1, minimumImage: text)), key: "volume", title: text),
                    .init(.multiValue(.init(choices: [choice])), key: "menu", title: text, defaultValue: choice.value),
                    .init(.radioGroup(.init(choices: [choice], footer: text)), key: "radio", title: text),
                    .init(.childPane(.init(file: text)), title: text),
                ]),
            children: [.init(file: text, title: text, specifiers: [.init(.toggle(.init()), key: "deep")])],
            localizations: [
                .init(
                    language: "en",
                    tables: ["Root": StringTable([StringTable.Entry(key: "translated", value: "strings \(text)")])])
            ])
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"), searching: [.application, .registration])
        try store.domains.register(contentsOf: bundle)
        let panel = SettingsPanel(store, bundle: bundle, configuration: .init(title: text, access: .everyone))
        let browser = PanelBrowser(panel)
        let encoded = text.utf8.map { "%" + String($0, radix: 16) }.joined()
        for place in [
            "/", "/pane?id=\(encoded)", "/search?q=script", "/search?q=\(encoded)", "/why?key=field", "/why?key=menu",
            "/reset", "/reset?pane=\(encoded)", "/image?name=\(encoded)",
        ] {
            let page = await browser.get(place, [("Accept-Language", "en")]).text
            let others = foreign(page).filter { !$0.hasPrefix("<img src=\"/image?name=&quot;") }
            #expect(others.isEmpty, "\(place): \(others)")
        }
        let page = await browser.get("/", [("Accept-Language", "en")]).text
        for part in ["strings", "footer", "group", "choice", "default", "fixed"] {
            #expect(page.contains("\(part) &quot;&#39;&gt;&lt;script&gt;"), "\(part)")
        }
    }

    @Test("Random requests are answered, and change nothing") func randomRequestsAnswered() async throws {
        let (browser, store, folder) = try await panel(["a": .bool(true), "b": .array([.string("x")])])
        defer { _ = folder }
        let before = store.keys.effectiveValues
        var generator = SeededGenerator(seed: 15)
        let pieces = [
            "/", "set", "pane", "?", "&", "=", "key", "a", "b", "%", "%zz", "+", "id", "token", "\u{0}", "é", "events",
            "return", "reset", "why", "..", "search", "q", ";", "#", "undo", "value", "part", "action", "remove 9",
            "as",
        ]
        func text() -> String {
            (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
        }
        for _ in 0..<500 {
            let method = ["GET", "HEAD", "POST", "PUT", ""].randomElement(using: &generator) ?? ""
            // Without an origin, nothing may change.
            let answer = await browser.send(method, "/" + text(), [], Array(text().utf8))
            #expect(answer.status >= 200)
        }
        #expect(store.keys.effectiveValues == before)
    }

    @Test("Random forms are answered, and store nothing but values of the keys that are shown")
    func randomFormsAnswered() async throws {
        let (browser, store, folder) = try await panel(["a": .bool(true), "b": .array([.string("x")])])
        defer { _ = folder }
        var generator = SeededGenerator(seed: 16)
        func one(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }
        let keys = ["a", "b", "c", "", "a.b", "b.0", "\u{0}", "a\\.b"]
        let tokens = [store.history.token?.description ?? "", "x", "", "0000000000000001-7-0000000000000001"]
        let actions = ["save", "reset", "add", "remove 0", "up 1", "down 0", "remove -1", "up 99999999999999999999"]
        let values = ["on", "", "x", "[1", "{}", "\u{0}", "é", "null", String(repeating: "[", count: 2000)]
        let names = ["key", "value", "part", "newPart", "name", "newName", "as", "token", "seen", "action", "pane"]
        for _ in 0..<500 {
            var fields = [("key", one(keys)), ("token", one(tokens)), ("action", one(actions))]
            fields.append(("as", one(["json", ""])))
            for _ in 0..<Int.random(in: 0..<4, using: &generator) { fields.append((one(names), one(values))) }
            fields.shuffle(using: &generator)
            let place = one(["/set", "/set", "/set", "/reset", "/undo", "/enter", "/form", "/"])
            let answer = await browser.post(place, fields)
            #expect((200..<500).contains(answer.status), "\(place) \(fields)")
            #expect(Set(store.keys.effectiveValues.root.keys).isSubset(of: ["a", "b"]), "\(place) \(fields)")
        }
    }
}

extension String {
    /// The hidden fields of the form of a key.
    fileprivate func form(_ key: String) -> [(String, String)] {
        guard let start = firstRange(of: "data-key=\"\(key)\"")?.upperBound else { return [] }
        let rest = self[start...]
        let end = rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex
        return rest[..<end].matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
            .map { (String($0.1), String($0.2)) }
    }
}
