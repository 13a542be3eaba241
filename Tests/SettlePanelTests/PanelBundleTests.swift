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

/// A panel as a bundle describes it: its values are those of the bundle, however files spell them.
@Suite(.timeLimit(.minutes(10))) struct PanelBundleTests {
    private static let colours = [("Red", 1), ("Green", 2), ("Blue", 3)].map {
        SettingsBundle.Choice(title: $0.0, value: .integer($0.1))
    }

    private static let bundle = SettingsBundle(
        root: .init(
            specifiers: [
                .init(.group(.init(footer: "How loud the alarm is.")), title: "Noise"),
                .init(.slider(.init(minimum: 0, maximum: 1)), key: "volume", title: "Volume", defaultValue: .real(0.5)),
                .init(.group(.init()), title: "Others"),
                .init(.toggle(.init()), key: "sounds", title: "Sounds", defaultValue: .bool(false)),
                .init(
                    .toggle(.init(trueValue: .string("YES"), falseValue: .string("NO"))), key: "odd", title: "Odd",
                    defaultValue: .string("NO")),
                .init(.textField(.init()), key: "port", title: "Port", defaultValue: .integer(80)),
                .init(.textField(.init(isSecure: true)), key: "password", title: "Password"),
                .init(.titleValue(.init()), title: "Version", defaultValue: .string("1.4 beta")),
                .init(.titleValue(.init()), key: "build", title: "Build", defaultValue: .string("42")),
                .init(.datePicker(.init()), key: "since", title: "Since"),
                .init(.multiValue(.init(choices: colours)), key: "colour", title: "Colour", defaultValue: .integer(9)),
                .init(.radioGroup(.init(choices: colours)), key: "frame", title: "Frame", defaultValue: .integer(9)),
            ]))

    private struct Program {
        let folder: TemporaryFolder
        let store: SettingsStore
        let browser: PanelBrowser

        init(_ bundle: SettingsBundle, groups: any SettingsGroup.Type...) async throws {
            folder = try TemporaryFolder()
            store = try await SettingsStore.open(
                at: folder.url.appending(path: "app.json"), searching: [.application, .registration],
                configuration: .init(history: .keep(transactions: 10)))
            for type in groups { _ = try await store.group(type) }
            try store.domains.register(contentsOf: bundle)
            browser = PanelBrowser(
                SettingsPanel(store, bundle: bundle, configuration: .init(title: "x", access: .everyone)))
        }

        func form(_ key: String, on page: String = "/") async -> String {
            let text = await browser.get(page).text
            guard let start = text.firstRange(of: "data-key=\"\(key)\"") else { return "" }
            let rest = text[start.lowerBound...]
            return String(rest[..<(rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex)])
        }

        func stored(_ key: String) throws -> SettingValue? { try store.keys.value(forKey: key) }
    }

    @Test(
        "A value that is written in another way is shown as what it means",
        arguments: [
            ("volume", SettingValue.string("0.25"), #"type="range" id="c-volume.value" name="value" value="0.25""#),
            ("volume", .string("7"), #"name="value" value="1""#), ("volume", .integer(-3), #"name="value" value="0""#),
            ("sounds", .string("YES"), "value=\"on\" checked"), ("sounds", .integer(1), "value=\"on\" checked"),
            ("odd", .string("YES"), "value=\"on\" checked"), ("port", .integer(8080), #"value="8080""#),
            ("port", .real(0.5), #"value="0.5""#), ("colour", .string("2"), " selected>Green"),
            ("colour", .real(3), " selected>Blue"), ("frame", .string("1"), " checked><span>Red"),
        ])
    func valueWrittenAnother(
        key: String, value: SettingValue, shown: String
    ) async throws {
        let program = try await Program(Self.bundle)
        try program.store.keys.setValue(value, forKey: key)
        let form = await program.form(key)
        #expect(form.contains(shown), "\(form)")
        #expect(!form.contains("<textarea") && !form.contains("name=\"as\""))
    }

    @Test("Of choices none is chosen while there is another value, which is told, and each can be chosen")
    func choicesNoneChosen()
        async throws
    {
        let program = try await Program(Self.bundle)
        for key in ["colour", "frame"] {
            let form = await program.form(key)
            #expect(form.contains("What is stored is none of these: 9.") && !form.contains("<textarea"), "\(form)")
            #expect(!form.contains(" checked") && (key == "frame" || form.contains("value=\"\" selected")))
            let green = await program.browser.get("/").choice("Green", of: key)
            #expect(await program.browser.change(key, [("value", green)]).status == 303)
            #expect(try program.stored(key) == .integer(2))
            #expect(!(await program.form(key).contains("none of these")))
        }
        try program.store.keys.setValue(SettingValue.string("maybe"), forKey: "odd")
        let odd = await program.form("odd")
        #expect(odd.contains("none of these: maybe") && !odd.contains(" checked"))
        #expect(odd.contains("class=\"mark\""))
    }

    @Test("A bundle's control stores values of its own type only, however they are sent")
    func bundleControlStores() async throws {
        let program = try await Program(Self.bundle)
        for (key, json, rule) in [
            ("volume", "2", "from 0 to 1"), ("volume", "\"loud\"", "a number"),
            ("sounds", "\"x\"", "allowed: On, Off."),
            ("port", "{\"a\": 1}", "a text"), ("port", "80", "a text"), ("colour", "9", "allowed: Red, Green, Blue."),
            ("since", "5", "a text"), ("since", "\"soon\"", "a date such as"),
            ("build", "\"43\"", "Only the program itself changes this."),
        ] {
            let answer = await program.browser.change(key, [("as", "json"), ("value", json)])
            #expect(answer.status == 422 && answer.text.contains(rule), "\(key): \(json)")
            #expect(try program.stored(key) == Self.bundle.defaultValues[key], "\(key): \(json)")
        }
        #expect(await program.browser.change("build", [("action", "reset")]).status == 422)
        #expect(await program.browser.change("volume", [("value", "1.5")]).status == 422)
        #expect(await program.browser.change("volume", [("value", "1")]).status == 303)
        #expect(try program.stored("volume") == .real(1))
        #expect(await program.browser.change("port", [("value", "81")]).status == 303)
        #expect(try program.stored("port") == .string("81"))
        #expect(await program.browser.change("since", [("value", "2026-11-23T12:00")]).status == 303)
        #expect(await program.form("since").contains("value=\"2026-11-23T12:00:00\""))
        #expect(await program.browser.change("odd", [("value", "on")]).status == 303)
        #expect(try program.stored("odd") == .string("YES"))
    }

    @Test("Where a program declares a key, the bundle's control stores that type")
    func programDeclaresKey() async throws {
        struct Declared: SettingsGroup {
            @Setting var port = 80
            @Setting var odd = false
            @Setting var volume = 0.5
        }
        let program = try await Program(Self.bundle, groups: Declared.self)
        #expect(await program.browser.change("port", [("value", "81")]).status == 303)
        #expect(try program.stored("port") == .integer(81))
        #expect(await program.browser.change("port", [("value", "x")]).status == 422)
        #expect(await program.browser.change("odd", [("value", "on")]).status == 303)
        #expect(try program.stored("odd") == .bool(true))
        #expect(await program.browser.change("volume", [("value", "1")]).status == 303)
        #expect(try program.stored("volume") == .real(1))
    }

    @Test("A password that the program declares as plain text shows nowhere")
    func passwordProgramDeclares() async throws {
        struct Declared: SettingsGroup {
            @Setting(.count(1...12)) var password = "s3cr3t"
        }
        let program = try await Program(Self.bundle, groups: Declared.self)
        func check(_ page: PanelBrowser.Answer, _ place: String) {
            #expect(!page.text.contains("s3cr3t") && !page.text.contains("t00-l0ng"), "\(place)")
            if place == "/" || page.status != 200 {
                #expect(page.form(of: "password").first { $0.0 == "seen" }?.1 == "set", "\(place)")
            }
        }
        #expect(await program.browser.change("password", [("value", "s3cr3ts")]).status == 303)
        for place in ["/", "/why?key=password", "/search?q=password", "/reset"] {
            check(await program.browser.get(place), place)
        }
        let refused = await program.browser.change("password", [("value", "t00-l0ng-for-it")])
        #expect(refused.status == 422 && refused.text.contains("This can’t be stored here."))
        check(refused, "refused")
        try Data(#"{"password": "s3cr3t that is much too long"}"#.utf8)
            .write(to: program.folder.url.appending(path: "app.json"), options: .atomic)
        try await program.store.flush()
        for place in ["/", "/why?key=password"] { check(await program.browser.get(place), place) }
    }

    @Test("Links lead only to pages and emails, buttons say that they are in the program, and text views have lines")
    func inAppSettingsKit() async throws {
        let draft = SettingsBundle.MailDraft(
            recipients: ["a@example.com"], copyRecipients: ["b@example.com", "c@example.com"], body: "x\n&")
        let program = try await Program(
            SettingsBundle(
                root: .init(
                    specifiers: [
                        .init(.link(.init(url: "https://example.com/?a&b")), title: "Help"),
                        .init(.link(.init(url: "javascript:alert(1)")), title: "Bad"),
                        .init(.mailDraft(draft), title: "Mail"), .init(.button, title: "Log out"),
                        .init(.mailDraft(.init()), title: " "), .init(.button),
                        .init(.textView(.init()), key: "note", title: "Note", defaultValue: .string("one line")),
                        .init(.datePicker(.init()), key: "alarm", title: "Alarm"),
                    ])))
        let page = await program.browser.get("/").text
        #expect(page.contains("<a class=\"pane\" href=\"https://example.com/?a&amp;b\"><span>Help<"))
        #expect(
            page.contains("href=\"mailto:a%40example.com?cc=b%40example.com,c%40example.com&amp;body=x%0D%0A%26\""))
        #expect(page.contains(">Bad<") && !page.contains("javascript:"))
        #expect(page.matches(of: /Available only in the program itself\./).count == 2)
        #expect(await program.form("note").contains("<textarea"))
        #expect(await program.form("alarm").contains("datetime-local"))
        #expect(await program.browser.change("note", [("value", "two\r\nlines")]).status == 303)
        #expect(try program.stored("note") == .string("two\nlines"))
        #expect(await program.browser.change("alarm", [("value", "2026-11-23T12:00:00")]).status == 303)
        #expect(await program.form("alarm").contains("value=\"2026-11-23T12:00:00\""))
    }

    @Test("A text without a key is shown as it is") func textWithoutKey() async throws {
        let program = try await Program(Self.bundle)
        let page = await program.browser.get("/").text
        #expect(page.contains(">Version<") && page.contains(">1.4 beta<"))
    }

    @Test(
        "Where a title is empty, a control has the words of its key, and there is no empty heading",
        arguments: ["", " ", "\u{200B}"])
    func titleEmptyControl(empty: String)
        async throws
    {
        let bundle = SettingsBundle(
            title: empty,
            root: .init(
                specifiers: [
                    .init(.group(.init(footer: empty)), title: empty),
                    .init(.toggle(.init()), key: "isLoud", title: empty, defaultValue: .bool(false)),
                    .init(.textField(.init()), key: "userName", title: empty),
                    .init(.radioGroup(.init(choices: Self.colours)), key: "frame", title: empty),
                    .init(.childPane(.init(file: "More")), title: empty),
                ]),
            children: [.init(file: "More", title: empty, specifiers: [.init(.toggle(.init()), key: "deep")])])
        let program = try await Program(bundle)
        for place in ["/", "/pane?id=More", "/search?q=deep", "/why?key=userName"] {
            let page = await program.browser.get(place).text
            let blank = page.firstMatch(of: /<(h1|h2|label|a|p class="footer")\b[^>]*>[\s\u{200B}]*<\//)
            #expect(blank == nil, "\(place): \(page)")
        }
        #expect(await program.form("isLoud").contains(">Is loud</label>"))
        #expect(await program.form("userName").contains(">User name</label>"))
        #expect(await program.form("frame").contains(">Frame</span>"))
        #expect(await program.browser.get("/").text.contains("<span>More</span>"))
    }

    @Test("A search finds a section's title and footer, which are a bundle's help")
    func searchFindsSection() async throws {
        let program = try await Program(Self.bundle)
        for words in ["noise", "alarm", "loud+alarm+volume"] {
            let page = await program.browser.get("/search?q=\(words)").text
            #expect(page.contains("data-key=\"volume\"") && !page.contains("data-key=\"port\""), "\(words)")
        }
    }

    @Test("Of variants for phones and for pads one is shown, and nothing is out of reach")
    func variantsPhonesPads() async throws {
        let few = Array(Self.colours.prefix(2))
        let bundle = SettingsBundle(
            root: .init(
                specifiers: [
                    .init(.multiValue(.init(choices: few)), key: "colour", title: "On a phone", idioms: [.phone]),
                    .init(.multiValue(.init(choices: Self.colours)), key: "colour", title: "On a pad", idioms: [.pad]),
                    .init(.toggle(.init()), key: "ring", title: "Ring", idioms: [.phone]),
                    .init(.group(.init(footer: "Phones only.")), title: "Nothing in it", idioms: [.phone]),
                ]))
        let program = try await Program(bundle)
        let page = await program.browser.get("/").text
        #expect(page.contains("On a pad") && !page.contains("On a phone"))
        #expect(page.contains("data-key=\"ring\"") && !page.contains("Phones only."))
        let blue = await program.browser.get("/").choice("Blue", of: "colour")
        #expect(await program.browser.change("colour", [("value", blue)]).status == 303)
        #expect(try program.stored("colour") == .integer(3))
    }

    @Test("Two controls of one key have identifiers of their own, and each stores by its own choices")
    func twoControlsOne()
        async throws
    {
        let others = [("Small", 10), ("Large", 20)].map { SettingsBundle.Choice(title: $0.0, value: .integer($0.1)) }
        let bundle = SettingsBundle(
            root: .init(
                specifiers: [
                    .init(.multiValue(.init(choices: Self.colours)), key: "size", title: "First"),
                    .init(.multiValue(.init(choices: others)), key: "size", title: "Second"),
                ]))
        let program = try await Program(bundle)
        let page = await program.browser.get("/")
        let ids = page.text.matches(of: /<form class="control" id="([^"]+)"/).map { String($0.1) }
        #expect(ids.count == 2 && Set(ids).count == 2)
        let second = try #require(ids.last)
        func large(on page: PanelBrowser.Answer) throws -> String {
            String(try #require(page.text.firstMatch(of: /value="([^"]+)"[^>]*>Large</)).1)
        }
        let answer = await program.browser.post(
            "/set", page.form(of: "size") + [("control", second), ("value", try large(on: page))])
        #expect(answer.status == 303 && answer.field("Location")?.hasSuffix("#\(second)") == true)
        #expect(try program.stored("size") == .integer(20))
        #expect(page.text.contains("name=\"control\" value=\"\(second)\""))
        let refused = await program.browser.post(
            "/set", await program.browser.get("/").form(of: "size") + [("control", second), ("value", "none of them")])
        #expect(refused.status == 422 && refused.text.matches(of: /role="alert"/).count == 1)
    }
}

/// A panel for whatever is stored.
@Suite(.timeLimit(.minutes(10))) struct PanelOfValuesTests {
    @Test("A number with a fraction that becomes a whole one can have a fraction again")
    func numberFractionBecomes() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        try Data(#"{"ratio": 0.5, "count": 3}"#.utf8).write(to: file)
        for value in ["2", "0.25"] {
            // As after a restart, when the file alone tells the type.
            let store = try await SettingsStore.open(at: file)
            let panel = SettingsPanel(valuesOf: store, configuration: .init(title: "x", access: .everyone))
            #expect(await PanelBrowser(panel).change("ratio", [("value", value)]).status == 303, "\(value)")
            #expect(await PanelBrowser(panel).change("count", [("value", "2.5")]).status == 422)
            try await store.close()
        }
        #expect(try String(contentsOf: file, encoding: .utf8).contains("0.25"))
    }
}

/// The panes of large bundles, in several languages.
@Suite(.timeLimit(.minutes(10))) struct LargePanelBundleTests {
    private static let count = 700

    private static func table(_ language: String) -> SettingsBundle.Localization {
        let texts = [StringTable.Entry(key: "Sound", value: "Sound in \(language)")]
        return .init(language: language, tables: ["T": StringTable(texts)])
    }

    /// A pane with a row for each other pane; the first of these leads to the second one, and back.
    private static let bundle = SettingsBundle(
        root: .init(
            stringsTable: "T",
            specifiers: [.init(.toggle(.init()), key: "sound", title: "Sound", defaultValue: .bool(false))]
                + (0..<count).map { .init(.childPane(.init(file: "P\($0)")), title: "Row \($0)") }
                + [.init(.childPane(.init(file: "None")), title: "Nowhere")]),
        children: (0..<count).map { number in
            .init(
                file: "P\(number)", title: number % 2 == 0 ? "Pane \(number)" : nil,
                specifiers: [.init(.toggle(.init()), key: "k\(number)", defaultValue: .bool(false))]
                    + (number == 0 ? [.init(.childPane(.init(file: "Root")), title: "Back")] : []))
        }, localizations: ["en", "de"].map(table))

    @Test("Each pane is found by its name, with its title and its way back") func eachPaneFound() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let browser = PanelBrowser(
            SettingsPanel(store, bundle: Self.bundle, configuration: .init(title: "Large", access: .everyone)))
        let first = await browser.get("/").text
        #expect(first.contains("<h1>Large</h1>") && !first.contains("Nowhere"))
        #expect(first.matches(of: /class="pane"/).count == Self.count)
        for (id, title) in [("P0", "Pane 0"), ("P1", "Row 1"), ("P698", "Pane 698"), ("P699", "Row 699")] {
            let page = await browser.get("/pane?id=\(id)").text
            #expect(page.contains("<h1>\(title)</h1>") && page.contains("data-key=\"k\(id.dropFirst())\""), "\(id)")
            #expect(page.contains("<a href=\"/\">Large</a>"), "\(id)")
        }
        #expect(await browser.get("/pane?id=P0").text.contains("class=\"pane\" href=\"/\""))
        for id in ["None", "Root", "p0", "P700"] { #expect(await browser.get("/pane?id=\(id)").status == 404, "\(id)") }
        for language in ["de", "en", "de"] {
            let page = await browser.get("/", [("Accept-Language", language)]).text
            #expect(page.contains("Sound in \(language)") && page.contains("lang=\"\(language)\""))
        }
    }

    @Test("A bundle is localized once for each list of languages, and few lists are remembered")
    func bundleLocalizedOnce() {
        let bundle = PanelBundle(Self.bundle)
        let german = bundle.localized(for: ["de"])
        #expect(bundle.localized(for: ["de"]) === german && german.bundle.root.specifiers[0].title == "Sound in de")
        let english = bundle.localized(for: ["en", "de"])
        #expect(english !== german && english.bundle.root.specifiers[0].title == "Sound in en")
        #expect(bundle.localized(for: ["de"]) === german)
        for number in 0..<PanelBundle.limit { _ = bundle.localized(for: ["x\(number)"]) }
        #expect(bundle.localized(for: ["de"]) !== german)
    }
}
