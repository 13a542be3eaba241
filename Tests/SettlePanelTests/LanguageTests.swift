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

/// A page in the languages of the browser.
@Suite(.timeLimit(.minutes(10))) struct LanguageTests {
    private func page(
        of languages: String, translations: [String: StringTable] = [:]
    ) async throws -> String {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        func table(_ text: String) -> [String: StringTable] {
            ["Root": StringTable([StringTable.Entry(key: "Sounds", value: text)])]
        }
        let bundle = SettingsBundle(
            root: SettingsBundle.Pane(
                stringsTable: "Root",
                specifiers: [SettingsBundle.Specifier(.toggle(.init()), key: "sounds", title: "Sounds")]),
            localizations: [
                .init(language: "de", tables: table("Töne")), .init(language: "ar", tables: table("الأصوات")),
                .init(language: "en", tables: table("Sounds")),
            ])
        var configuration = SettingsPanel.Configuration(title: "x", access: .everyone)
        configuration.translations = translations
        let panel = SettingsPanel(store, bundle: bundle, configuration: configuration)
        return await PanelBrowser(panel).get("/", [("Accept-Language", languages)]).text
    }

    @Test(
        "A page is in the best language that the bundle has",
        arguments: [
            ("de-AT", "de", "ltr", "Töne"), ("ar", "ar", "rtl", "الأصوات"), ("en", "en", "ltr", "Sounds"),
            ("fr, de;q=0.5, ar;q=0.8", "ar", "rtl", "الأصوات"), ("ar;q=0, de", "de", "ltr", "Töne"),
            ("fr", "en", "ltr", "Sounds"), ("", "en", "ltr", "Sounds"), ("*", "en", "ltr", "Sounds"),
            (";;,q=,de;q=x", "de", "ltr", "Töne"),
        ])
    func pageBestLanguage(
        wanted: String, language: String, direction: String, title: String
    ) async throws {
        let page = try await page(of: wanted)
        #expect(page.contains("<html lang=\"\(language)\" dir=\"\(direction)\">"), "\(page.prefix(80))")
        #expect(page.contains(">\(title)<"))
    }

    @Test("The panel's own words are translated, and stay English where there are none")
    func panelOwnWords() async throws {
        let page = try await page(of: "de-AT, en")
        #expect(page.contains(">Suchen<") && page.contains("Diese Seite zurücksetzen …"))
        let arabic = try await self.page(of: "ar, de;q=0.1")
        #expect(arabic.contains(">بحث<") && arabic.contains("dir=\"rtl\""))
        let french = StringTable([StringTable.Entry(key: "Search", value: "Chercher")])
        let other = try await self.page(of: "fr", translations: ["fr": french])
        #expect(other.contains(">Chercher<") && other.contains("Reset this page…"))
    }

    @Test("A translation has the values in its own order, and is not used if it lacks one")
    func numberedPlaces() async throws {
        let key = "“%@” can’t be %@; allowed: %@."
        for (text, shown) in [
            ("%2$@ passt nicht zu %1$@, nur %3$@", "21 times passt nicht zu Most attempts, nur von 0 bis 20"),
            ("Nur %3$@ passt zu %1$@", "„Most attempts“ kann nicht 21 times sein; erlaubt: von 0 bis 20."),
            ("100% %@", "„Most attempts“ kann nicht 21 times sein; erlaubt: von 0 bis 20."),
        ] {
            let table = StringTable([StringTable.Entry(key: key, value: text)])
            let program = try await PanelProgram { $0.translations = ["de": table] }
            let form = await program.browser.get("/pane?id=limits").form(of: "limits.count")
            let headers = [(name: "Origin", value: "http://localhost:8080"), (name: "Accept-Language", value: "de")]
            let answer = await program.browser.post("/set", form + [("value", "21")], headers)
            #expect(answer.status == 422 && answer.text.contains(shown), "\(answer.text)")
        }
    }

    @Test("A program's own translations come before those of the panel") func programOwnTranslations() async throws {
        let own = StringTable([StringTable.Entry(key: "Search", value: "Finden")])
        for name in ["de", "de-AT", "DE"] {
            let page = try await page(of: "de-AT, en", translations: [name: own])
            #expect(page.contains(">Finden<") && page.contains("Diese Seite zurücksetzen …"), "\(name)")
        }
    }

    @Test("What a control refuses, optional switches, domains and origins are in the page's language")
    func controlRefusesOptional()
        async throws
    {
        struct Switches: SettingsGroup {
            @Setting var maybe: Bool?
            @Setting var count = 3
        }
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"),
            searching: [
                .source("Search", ManualDomainSource(DomainContents(SettingTree(["count": .integer(5)])))),
                .application,
            ],
            configuration: .init(history: .keep(transactions: 10)))
        let panel = SettingsPanel(
            store, groups: Switches.self, configuration: .init(title: "x", access: .everyone))
        let browser = PanelBrowser(panel)
        let german = [(name: "Accept-Language", value: "de")]
        let page = await browser.get("/", german)
        #expect(page.text.contains(">Ein<") && page.text.contains(">Aus<") && page.text.contains(">Nicht gesetzt<"))
        let origin = [(name: "Origin", value: "http://localhost:8080")]
        let refused = await browser.post("/set", page.form(of: "count") + [("value", "x")], german + origin)
        #expect(refused.status == 422 && refused.text.contains("„x“ ist keine ganze Zahl."))
        let empty = await browser.post("/set", page.form(of: "count") + [("value", "")], german + origin)
        #expect(empty.text.contains("Hier wird ein Wert gebraucht."))
        #expect(await browser.post("/set", page.form(of: "count") + [("value", "4")], german + origin).status == 303)
        let why = await browser.get("/why?key=count", german).text
        #expect(why.contains("<td>Programm</td>") && why.contains("<td>Deklaration</td>"))
        #expect(why.contains("· dieses Programm"))
        // The name that a program has given to a domain of its own is no word of the panel.
        #expect(why.contains("<td>Search</td>"))
    }

    struct Described: SettingsGroup {
        @Setting(in: 0...20, help: "Wie oft.") var count = 3
        @Setting var name = "x"
    }

    private func describedPage(_ language: String) async throws -> (PanelBrowser, [(name: String, value: String)]) {
        let managed = ManualDomainSource(DomainContents(SettingTree(["name": .string("m")])))
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source(.managed, managed, locksKeys: true), .application])
        let panel = SettingsPanel(store, groups: Described.self, configuration: .init(title: "x", access: .everyone))
        return (PanelBrowser(panel), [("Accept-Language", language), ("Origin", "http://localhost:8080")])
    }

    @Test("Sentences that stay English are marked, on a page in another language", arguments: ["de", "ar"])
    func sentencesStayEnglish(language: String) async throws {
        let (browser, headers) = try await describedPage(language)
        let page = await browser.get("/", headers)
        let mark = #"<bdi lang="en" dir="ltr">"#
        #expect(
            page.text.contains(
                language == "ar"
                    ? "<bdi>Wie oft.</bdi> من \u{2066}0\u{2069} إلى \u{2066}20\u{2069}." : ">Wie oft. Von 0 bis 20."),
            "\(page.text)")
        #expect(
            page.text.firstMatch(of: /class="note" id="[^"]*">[^<A-Za-z]*(?:Gesperrt durch )?<bdi lang="en"/) != nil)
        let refused = await browser.post("/set", page.form(of: "count") + [("value", "99")], headers)
        let sentence = language == "ar" ? "؛ المسموح به: من " : "kann nicht 99 sein; erlaubt: von 0 bis 20."
        #expect(refused.status == 422 && refused.text.contains(sentence))
        // The panel's own words are in the page's language.
        #expect(!refused.text.contains("role=\"alert\"><p>\(mark)"))
        let empty = await browser.post("/set", page.form(of: "count") + [("value", "")], headers)
        #expect(empty.status == 422 && !empty.text.contains("role=\"alert\"><p>\(mark)"))
        #expect(await browser.get("/why?key=count", headers).text.contains("<td>\(mark)"))
    }

    @Test("A page in English has no such marks") func pageEnglishSuch() async throws {
        let (browser, headers) = try await describedPage("en-GB")
        let page = await browser.get("/", headers)
        #expect(page.text.contains("Wie oft. From 0 to 20.") && !page.text.contains("<bdi"))
        let refused = await browser.post("/set", page.form(of: "count") + [("value", "99")], headers)
        #expect(refused.status == 422 && !refused.text.contains("<bdi"))
    }

    struct Directed: SettingsGroup {
        @Setting(unit: "ms") var count = -3
        @Setting var name = "C++"
        @Setting var home = URL(filePath: "/home")
        @Setting var id = UUID()
        @Setting var since = Date(timeIntervalSince1970: 0)
        @Setting var timeout = Duration.seconds(30)
        @Setting var data = Data([1])
        @Setting var grid = [["a", "b"]]
        @Setting var ports = ["x": 1]
    }

    private func directed() async throws -> (PanelBrowser, Directed) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let panel = SettingsPanel(store, groups: Directed.self, configuration: .init(title: "x", access: .everyone))
        return (PanelBrowser(panel), try await store.group(Directed.self))
    }

    @Test("Code keeps its order on a page from right to left, and texts have their own direction")
    func codeKeepsOrder() async throws {
        let (browser, settings) = try await directed()
        let arabic = [(name: "Accept-Language", value: "ar")]
        let forms = ShownForms(await browser.get("/", arabic))
        func direction(_ key: String, _ name: String = "value") -> String? {
            forms[key]?.elements.first { $0.attributes["name"] == name && $0.attributes["type"] != "hidden" }?
                .attributes["dir"]
        }
        for key in ["count", "home", "id", "since", "timeout", "data", "grid"] {
            #expect(direction(key) == "ltr", "\(key)")
        }
        #expect(direction("name") == "auto")
        #expect(direction("ports", "name") == "auto" && direction("ports", "part") == "ltr")
        let count = await browser.get("/why?key=count", arabic).text
        #expect(count.contains(#"<bdi dir="ltr">-3</bdi> <bdi>ms</bdi>"#), "\(count)")
        #expect(count.contains(#"<code dir="ltr">count</code>"#))
        let grid = await browser.get("/why?key=grid", arabic).text
        #expect(grid.firstMatch(of: /<td><bdi dir="ltr">\[\[&quot;a&quot;[^<]*\]\]<\/bdi>/) != nil, "\(grid)")
        #expect(await browser.get("/why?key=name", arabic).text.contains("<td><bdi>C++</bdi>"))
        withExtendedLifetime(settings) {}
    }

    @Test("On a page from left to right, only text that may change its order is isolated")
    func pageLeftRight() async throws {
        let (browser, settings) = try await directed()
        #expect(!(await browser.get("/why?key=name").text.contains("<bdi")))
        for text in ["שלום.", "مرحبا (1)", "a\u{202E}b"] {
            settings.name = text
            #expect(await browser.get("/why?key=name").text.contains("<td><bdi>\(text)</bdi>"), "\(text)")
        }
        settings.name = "Grüße, 漢字 😀"
        #expect(!(await browser.get("/why?key=name").text.contains("<bdi")))
    }

    @Test("A plain sentence says that it is English") func plainSentenceSays() async throws {
        let (browser, _) = try await describedPage("de")
        let answer = await browser.get("/", [("Host", "elsewhere.example")])
        #expect(answer.status >= 400 && answer.field("Content-Language") == "en")
    }

    /// Translators would miss a text that only the code knows.
    @Test("Each shipped language has every text of the panel, with the same places for values")
    func eachShippedLanguage() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/SettlePanel")
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        var texts: Set<String> = ["Clear", "Reset", "Source", "Value", "Place"]
        texts.formUnion(ValueOrigin.allCases.map(\.rawValue))
        for name in names where name.hasSuffix(".swift") && !name.hasPrefix("Localization/") {
            let code = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            for match in code.matches(of: /(?:strings(?:\.html)?|InputProblem)\(\s*"([^"\\]+)"/) {
                texts.insert(String(match.1))
            }
        }
        #expect(texts.count > 80)
        for (language, table) in PanelTranslations.shipped {
            for text in texts.sorted() {
                let translated = try #require(table[text], "“\(text)” is missing in “\(language)”.")
                #expect(translated.matches(of: /%@/).count == text.matches(of: /%@/).count, "\(language): \(text)")
            }
        }
    }
}
