import Settle
import SettleInterchange
import SettlePanel
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The page of declared settings: their order, their sections, their rules and their choices in words.
@Suite(.timeLimit(.minutes(10))) struct DeclaredPageTests {
    enum Theme: String, Codable, Sendable, CaseIterable, TitledChoice {
        case light, dark, contrast
        var choiceTitle: String {
            switch self {
            case .light: "Bright"
            case .dark: "Dim"
            case .contrast: "High contrast"
            }
        }
    }

    struct Network: SettingsGroup {
        static let presentation = GroupPresentation.section(title: "Connection", footer: "At the next start.")
        @Setting(in: 1...65_535, title: "Port") var port = 8080
        @Setting(.count(1...40), title: "Host") var host = "localhost"
    }

    struct Advanced: SettingsGroup {
        static let presentation = GroupPresentation.page(title: "For experts")
        @Setting var zeal = 1
        @Setting var alpha = 2
    }

    struct App: SettingsGroup {
        @Setting(title: "Your name", help: "As others see it.") var name = "x"
        @Setting var theme = Theme.light
        let network = Network()
        @Setting(.oneOf(["de": "Deutsch", "en": "English"])) var language = "en"
        @Setting(.oneOf([.dark: "Night", .light: "Day"])) var other = Theme.light
        let advanced = Advanced()
        @Setting(.matching("[a-z]+", "a word in lowercase letters")) var word = "a"
        @Setting(.matching("[a-z]+")) var bare = "a"
        @Setting(.check("an even number") { $0.isMultiple(of: 2) }) var even = 2
        @Setting(in: 0..<100) var below = 5
        @Setting(in: 0.5...) var above = 1.0
        @Setting(.count(...1)) var tags: [String] = []
        @Setting(.count(4...)) var token = Secret("hunter2")
    }

    private func panel(
        _ configure: (inout SettingsPanel.Configuration) -> Void = { _ in }
    ) async throws -> (browser: PanelBrowser, app: App) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var configuration = SettingsPanel.Configuration(title: "Player", access: .everyone)
        configure(&configuration)
        let app = try await store.group(App.self)
        return (PanelBrowser(SettingsPanel(store, groups: App.self, configuration: configuration)), app)
    }

    /// The keys, links and headings of a page, in order.
    private func outline(_ page: String) -> [String] {
        page.matches(of: /data-key="([^"]+)"|class="pane" href="([^"]+)"|<h2>([^<]+)</).map { match in
            String(match.1 ?? match.2 ?? match.3 ?? "")
        }
    }

    @Test("A page has the order of the declaration, and a group is a section of it or a page of its own")
    func order() async throws {
        let (browser, app) = try await panel()
        let page = await browser.get("/").text
        #expect(
            outline(page) == [
                "name", "theme", "Connection", "network.port", "network.host", "language", "other",
                "/pane?id=advanced", "word", "bare", "even", "below", "above", "tags", "token",
            ])
        #expect(page.contains("At the next start.") && page.contains("<span>For experts</span>"))
        let inner = await browser.get("/pane?id=advanced").text
        #expect(outline(inner) == ["advanced.zeal", "advanced.alpha"] && inner.contains("<h1>For experts</h1>"))
        #expect(await browser.get("/pane?id=network").status == 404)
        #expect(outline(await browser.get("/search?q=connection").text) == ["network.port", "network.host"])
        withExtendedLifetime(app) {}
    }

    @Test("A schema that was left in a file gives the same page")
    func stored() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let app = try await store.group(App.self)
        let text = try store.file.schema().jsonSchema.json()
        let other = try await SettingsStore.open(storage: InMemoryStorage())
        let panel = SettingsPanel(
            other, jsonSchema: try SettingValue(json: text), configuration: .init(title: "Player", access: .everyone))
        let (browser, _) = try await self.panel()
        for page in ["/", "/pane?id=advanced"] {
            let (one, two) = (await PanelBrowser(panel).get(page).text, await browser.get(page).text)
            #expect(outline(one) == outline(two))
            #expect(helps(one) == helps(two))
        }
        withExtendedLifetime(app) {}
    }

    @Test("A schema by hand has its settings before its groups, and the rules that only its descriptions state")
    func byHand() async throws {
        let text = #"""
            {"properties": {"b": {"properties": {"x": {"type": "integer"}}},
              "c": {"type": "string", "description": "Which one. It must be odd."}, "a": {"maximum": 9}}}
            """#
        let panel = SettingsPanel(
            try await SettingsStore.open(storage: InMemoryStorage()),
            jsonSchema: try SettingValue(json: Data(text.utf8)), configuration: .init(title: "x", access: .everyone))
        let page = await PanelBrowser(panel).get("/").text
        #expect(outline(page) == ["a", "c", "/pane?id=b"] && page.matches(of: /<section>/).count == 2)
        #expect(page.contains("Which one. It must be odd.</p>"))
    }

    private func helps(_ page: String) -> [String] {
        page.matches(of: /<p class="help"[^>]*>(.*?)<\/p>/).map { String($0.1) }
    }

    @Test("Rules are in words, and nothing stands beside a list of choices")
    func rules() async throws {
        let (browser, app) = try await panel()
        let page = await browser.get("/").text
        #expect(
            helps(page) == [
                "As others see it.", "From 1 to 65535.", "1 to 40 characters.", "A word in lowercase letters.",
                "Text that matches [a-z]+.", "An even number.", "From 0 to 99.", "At least 0.5.",
                "At most 1 entry.", "At least 4 characters.",
            ])
        #expect(!page.contains("It must be"))
        withExtendedLifetime(app) {}
    }

    @Test(
        "A refusal is one sentence with the title",
        arguments: [
            ("network.port", "70000", "“Port” can’t be 70000; allowed: from 1 to 65535."),
            ("network.host", "", "“Host” can’t be empty; allowed: 1 to 40 characters."),
            ("word", "X", "“Word” can’t be X; allowed: a word in lowercase letters."),
            ("even", "3", "“Even” can’t be 3; allowed: an even number."),
            ("token", "abc", "“Token” can’t have this value; allowed: at least 4 characters."),
        ])
    func refusals(key: String, typed: String, sentence: String) async throws {
        let (browser, app) = try await panel()
        let refused = await browser.change(key, [("value", typed)])
        #expect(refused.status == 422 && refused.text.contains("<p>\(sentence)</p>"), "\(refused.text)")
        withExtendedLifetime(app) {}
    }

    @Test("A range has each end that is not a limit of a type")
    func largeRanges() async throws {
        struct Sizes: SettingsGroup {
            @Setting(in: 0...4_294_967_296) var size = 1
            @Setting(in: 0.0...5e9) var area = 1.0
            @Setting(in: 1...2_147_483_647) var limit = 1
            @Setting(in: 1..<9_007_199_254_740_993) var exact = 1
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let sizes = try await store.group(Sizes.self)
        let panel = SettingsPanel(store, groups: Sizes.self, configuration: .init(title: "x", access: .everyone))
        let page = await PanelBrowser(panel).get("/").text
        #expect(helps(page) == ["From 0 to 4294967296.", "From 0 to 5000000000.", "At least 1.", "At least 1."])
        withExtendedLifetime(sizes) {}
    }

    @Test("A choice that a check refuses is refused with the text of the check")
    func refusedChoice() async throws {
        struct Checked: SettingsGroup {
            @Setting(.check("one for the night") { $0 != .light }) var theme = Theme.dark
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let checked = try await store.group(Checked.self)
        let panel = SettingsPanel(store, groups: Checked.self, configuration: .init(title: "x", access: .everyone))
        let browser = PanelBrowser(panel)
        let page = await browser.get("/")
        let bright = page.choice("Bright", of: "theme")
        let refused = await browser.post("/set", page.form(of: "theme") + [("value", bright)])
        #expect(refused.status == 422 && refused.text.contains("allowed: one for the night."), "\(refused.text)")
        withExtendedLifetime(checked) {}
    }

    @Test("A help text is shown and translated as it was declared, whatever it says of rules")
    func helpTexts() async throws {
        struct Helped: SettingsGroup {
            @Setting(help: "It must be fun.") var theme = Theme.light
            @Setting(help: "It must be chosen once.") var port: UInt16 = 80
            @Setting(in: 0...9, help: "How many") var count = 3
            @Setting(in: 1...9, help: "It must be in the list.") var level = 3
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let helped = try await store.group(Helped.self)
        var configuration = SettingsPanel.Configuration(title: "x", access: .everyone)
        configuration.declaredTexts = ["de": StringTable([StringTable.Entry(key: "How many", value: "Wie viele")])]
        let browser = PanelBrowser(SettingsPanel(store, groups: Helped.self, configuration: configuration))
        let page = helps(await browser.get("/").text)
        try #require(page.count == 4)
        #expect(page[0] == "It must be fun." && page[1].hasPrefix("It must be chosen once."))
        #expect(page[2] == "How many. From 0 to 9." && page[3] == "It must be in the list. From 1 to 9.")
        let german = helps(await browser.get("/", [("Accept-Language", "de")]).text)
        #expect(german.count == 4 && german[2] == "Wie viele. Von 0 bis 9.")
        withExtendedLifetime(helped) {}
    }

    @Test("A long text is shortened in the sentence that refuses it")
    func long() async throws {
        let (browser, app) = try await panel()
        let refused = await browser.change("network.host", [("value", String(repeating: "a", count: 100))])
        #expect(refused.text.contains("“Host” can’t be \(String(repeating: "a", count: 59))…; allowed"))
        withExtendedLifetime(app) {}
    }

    @Test("Choices have the titles of the type or of the rule, which may allow fewer")
    func choices() async throws {
        let (browser, app) = try await panel()
        func titles(_ key: String) async throws -> [String] {
            let page = await browser.get("/").text
            let start = try #require(page.firstRange(of: "data-key=\"\(key)\"")).upperBound
            let form = page[start...].prefix(upTo: try #require(page[start...].firstRange(of: "</form>")).lowerBound)
            return form.matches(of: /type="radio"[^>]*><span>([^<]*)</).map { String($0.1) }
        }
        #expect(try await titles("theme") == ["Bright", "Dim", "High contrast"])
        #expect(try await titles("language") == ["Deutsch", "English"])
        #expect(try await titles("other") == ["Night", "Day"])
        let page = await browser.get("/")
        let night = page.choice("Night", of: "other")
        #expect(await browser.post("/set", page.form(of: "other") + [("value", night)]).status == 303)
        #expect(app.other == .dark)
    }

    struct Lists: SettingsGroup {
        @Setting var themes = [Theme.dark]
        @Setting var rooms = ["hall": Theme.contrast]
    }

    private func listPanel(
        _ configure: (inout SettingsPanel.Configuration) -> Void = { _ in }
    ) async throws -> (browser: PanelBrowser, lists: Lists) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var configuration = SettingsPanel.Configuration(title: "Player", access: .everyone)
        configure(&configuration)
        let lists = try await store.group(Lists.self)
        return (PanelBrowser(SettingsPanel(store, groups: Lists.self, configuration: configuration)), lists)
    }

    /// The texts of the menus of a setting's entries, and of a new one.
    private func menus(_ page: PanelBrowser.Answer, _ key: String) throws -> [[String]] {
        try #require(ShownForms(page)[key]).elements.filter { $0.name == "select" }
            .map { menu in menu.children.map { $0.children.first?.text ?? "" } }
    }

    @Test("Entries of a list or dictionary of choices are menus with the titles, which are stored, shown and found")
    func listedChoices() async throws {
        let (browser, lists) = try await listPanel()
        let titles = ["Bright", "Dim", "High contrast"]
        let page = await browser.get("/")
        for key in ["themes", "rooms"] { #expect(try menus(page, key) == [titles, titles], "\(key)") }
        let form = try #require(ShownForms(page)["themes"])
        let chosen = form.elements.filter { $0.name == "option" && $0.attributes["selected"] != nil }
        #expect(chosen.map { $0.children.first?.text } == ["Dim"])
        let parts = ["High contrast", "Bright"].map { ("part", page.choice($0, of: "themes")) }
        #expect(await browser.post("/set", page.form(of: "themes") + parts).status == 303)
        #expect(lists.themes == [.contrast, .light])
        let why = await browser.get("/why?key=themes").text
        #expect(why.contains("[&quot;High contrast&quot;") && !why.contains("&quot;contrast&quot;"), "\(why)")
        #expect(await browser.get("/why?key=rooms").text.contains("&quot;High contrast&quot;"))
        let found = ShownForms(await browser.get("/search?q=bright"))
        #expect(found["themes"] != nil && found["rooms"] != nil)
    }

    @Test("Entries of a list have the titles of a schema that was left in a file, and the program's translations")
    func listedChoicesElsewhere() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let lists = try await store.group(Lists.self)
        let text = try store.file.schema().jsonSchema.json()
        let panel = SettingsPanel(
            try await SettingsStore.open(storage: InMemoryStorage()), jsonSchema: try SettingValue(json: text),
            configuration: .init(title: "Player", access: .everyone))
        #expect(try menus(await PanelBrowser(panel).get("/"), "themes").last == ["Bright", "Dim", "High contrast"])
        let (browser, others) = try await listPanel { $0.declaredTexts = ["de": Self.german] }
        let german = await browser.get("/", [("Accept-Language", "de")])
        #expect(try menus(german, "rooms").last == ["Hell", "Dim", "High contrast"])
        withExtendedLifetime((lists, others)) {}
    }

    private static let german = StringTable(
        [
            ("Your name", "Ihr Name"), ("As others see it.", "Wie andere ihn sehen."), ("Connection", "Verbindung"),
            ("At the next start.", "Beim nächsten Start."), ("For experts", "Für Kenner"), ("Bright", "Hell"),
            ("Night", "Nacht"), ("an even number", "eine gerade Zahl"), ("Player", "Spieler"),
        ].map { StringTable.Entry(key: $0.0, value: $0.1) })

    @Test("Titles, helps, sections, choices and checks are translated by the program's tables")
    func translations() async throws {
        let (browser, app) = try await panel { $0.declaredTexts = ["de": Self.german] }
        let page = await browser.get("/", [("Accept-Language", "de-AT, fr")]).text
        for text in [
            ">Ihr Name<", "Wie andere ihn sehen.", "<h2>Verbindung<", "Beim nächsten Start.", ">Für Kenner<", ">Hell<",
            ">Nacht<", "Eine gerade Zahl.", "<h1>Spieler<", "Von 1 bis 65535.",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(page.contains("<html lang=\"de\""))
        // The declared texts are English, so a browser that prefers English gets them as they are.
        let english = await browser.get("/", [("Accept-Language", "en, de")]).text
        #expect(english.contains(">Your name<") && english.contains("<html lang=\"en\""))
        withExtendedLifetime(app) {}
    }
}
