import Settle
import SettlePanel
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The note beside a control about a stored value that can't be used.
@Suite(.timeLimit(.minutes(10))) struct UnusableNoteTests {
    enum Theme: String, Codable, Sendable, CaseIterable, TitledChoice {
        case light, dark
        var choiceTitle: String { self == .light ? "Bright" : "Dim" }
    }

    /// Its declaration does not say that there is a secret in it.
    struct Account: Codable, Sendable, Equatable {
        var name = ""
        var password = Secret("")
    }

    struct App: SettingsGroup {
        @Setting(in: 1...65_535, title: "Port") var portNumber = 8080
        @Setting(in: 0...9, title: "Level", unit: "dB") var levelNumber = 3
        @Setting(.check("an even number") { $0.isMultiple(of: 2) }, title: "Even") var evenNumber = 2
        @Setting(title: "Hosts") var hostNames = ["localhost"]
        @Setting(title: "Since") var sinceDate = Date(timeIntervalSince1970: 0)
        @Setting(title: "Theme") var themeName = Theme.light
        @Setting(title: "Themes") var themeNames = [Theme.light]
        @Setting(title: "Identifier") var uniqueID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        @Setting(.count(4...), title: "Token") var tokenText = Secret("hunter2")
        @Setting(title: "Account") var accountInfo = Account()
        @Setting(title: "Fine") var fineText = "x"
    }

    private static let stored = SettingTree([
        "portNumber": .integer(70_000), "levelNumber": .string("loud"), "evenNumber": .integer(3),
        "hostNames": .string("no list"), "sinceDate": .string("soon"), "themeName": .string("purple"),
        "themeNames": .array([.string("dark"), .string("purple")]), "uniqueID": .string("none"),
        "tokenText": .string("s3c"),
        "accountInfo": .dictionary(["name": .array([]), "password": .string("pa55")]), "fineText": .string("y"),
    ])

    private let browser: PanelBrowser

    init() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(Self.stored))
        browser = PanelBrowser(
            SettingsPanel(store, groups: App.self, configuration: .init(title: "x", access: .everyone)))
    }

    /// The markup of the note; `nil` if there is none.
    private func note(on key: String, _ language: String = "en") async -> String? {
        let page = await browser.get("/", [("Accept-Language", language)]).text
        guard let start = page.firstRange(of: "id=\"c-\(key).mistake\">")?.upperBound else { return nil }
        return String(page[start...].prefix(upTo: page[start...].firstRange(of: "</p>")?.lowerBound ?? start))
    }

    @Test(
        "It names the title and the value, and says what is allowed",
        arguments: [
            ("portNumber", "“Port” can’t be used: 70000. Allowed: from 1 to 65535."),
            ("levelNumber", "“Level” can’t be used: loud. Allowed: a whole number, from 0 to 9."),
            ("evenNumber", "“Even” can’t be used: 3. Allowed: an even number."),
            ("hostNames", "“Hosts” can’t be used: no list. Allowed: a list."),
            ("sinceDate", "“Since” can’t be used: soon. Allowed: a date and time."),
            ("themeName", "“Theme” can’t be used: purple. Allowed: Bright, Dim."),
            ("accountInfo", "“Account” can’t be used."),
            ("uniqueID", "“Identifier” can’t be used: none."),
        ])
    func reasons(key: String, sentence: String) async throws {
        #expect(await note(on: key) == "What is stored for \(sentence)")
        let form = try #require(ShownForms(await browser.get("/"))[key])
        let described = form.elements.compactMap { $0.attributes["aria-describedby"] }
        #expect(described.contains { $0.split(separator: " ").contains("c-\(key).mistake") })
    }

    @Test("It shows a list of choices with their titles") func lists() async throws {
        let note = try #require(await self.note(on: "themeNames"))
        #expect(note.hasPrefix("What is stored for “Themes” can’t be used: [&quot;Dim&quot;"), "\(note)")
        #expect(note.contains("purple") && note.hasSuffix(" Allowed: Bright, Dim."), "\(note)")
    }

    @Test("There is none beside a value that can be used") func usable() async {
        #expect(await note(on: "fineText") == nil)
    }

    @Test(
        "It is in the page's language, and has neither keys nor the words of the store", arguments: ["en", "de", "ar"])
    func languages(language: String) async throws {
        for key in Self.stored.root.keys where key != "fineText" {
            let note = try #require(await self.note(on: key, language))
            #expect(!note.contains(key) && !note.contains("expected") && !note.contains("stored value"), "\(note)")
            #expect(!note.contains("lang=\"en\""), "\(note)")
            if language != "en" { #expect(!note.contains("What is stored"), "\(note)") }
        }
        guard language == "de" else { return }
        let port = "Was für „Port“ gespeichert ist, kann nicht benutzt werden: 70000. Erlaubt: von 1 bis 65535."
        #expect(await note(on: "portNumber", language) == port)
        let hosts = "Was für „Hosts“ gespeichert ist, kann nicht benutzt werden: no list. Erlaubt: eine Liste."
        #expect(await note(on: "hostNames", language) == hosts)
    }

    @Test("It never shows a secret", arguments: ["en", "de", "ar"]) func secrets(language: String) async throws {
        let note = try #require(await self.note(on: "tokenText", language))
        #expect(note.contains("Token"))
        if language == "en" { #expect(note.hasPrefix("What is stored for “Token” can’t be used.")) }
        #expect(!(await browser.get("/").text.contains("pa55")))
        for place in ["/", "/why?key=tokenText"] {
            let page = await browser.get(place, [("Accept-Language", language)]).text
            #expect(!page.contains("s3c") && !page.contains("hunter2"), "\(place)")
        }
    }

    @Test("The value's own page has the sentence for people, and the store's reason with the key for developers")
    func ownPage() async throws {
        let page = await browser.get("/why?key=portNumber").text
        let main = try #require(page.firstRange(of: "<main")?.upperBound)
        let start = try #require(page.firstRange(of: "<details>")?.lowerBound)
        let (users, developers) = (page[main..<start], page[start...])
        #expect(users.contains("What is stored for “Port” can’t be used: 70000. Allowed: from 1 to 65535."))
        #expect(users.contains("This is the default.") && !users.contains("Nobody has chosen"))
        #expect(!users.contains("can&#39;t be used") && !users.contains(">portNumber<"))
        #expect(developers.contains("The stored value of “portNumber” can&#39;t be used"))
    }
}
