import Settle
import SettleInterchange
import SettlePanel
import SettleTesting
import Testing

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

    @Test(arguments: [
        ("de-AT", "de", "ltr", "Töne"), ("ar", "ar", "rtl", "الأصوات"), ("en", "en", "ltr", "Sounds"),
        ("fr, de;q=0.5, ar;q=0.8", "ar", "rtl", "الأصوات"), ("ar;q=0, de", "de", "ltr", "Töne"),
        ("fr", "en", "ltr", "Sounds"), ("", "en", "ltr", "Sounds"), ("*", "en", "ltr", "Sounds"),
        (";;,q=,de;q=x", "de", "ltr", "Töne"),
    ])
    func `A page is in the best language that the bundle has`(
        wanted: String, language: String, direction: String, title: String
    ) async throws {
        let page = try await page(of: wanted)
        #expect(page.contains("<html lang=\"\(language)\" dir=\"\(direction)\">"), "\(page.prefix(80))")
        #expect(page.contains(">\(title)<"))
    }

    @Test func `The panel's own words are translated, and stay English where there are none`() async throws {
        let german = StringTable([StringTable.Entry(key: "Search", value: "Suchen")])
        let page = try await page(of: "de-AT, en", translations: ["de": german])
        #expect(page.contains(">Suchen<") && page.contains("Reset this page…"))
        let other = try await self.page(of: "ar, de;q=0.1", translations: ["de": german])
        #expect(other.contains(">Suchen<") && other.contains("dir=\"rtl\""))
    }
}
