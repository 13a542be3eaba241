import Settle
import SettleHTTP
import SettlePanel
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What can't be changed on a page: it is reached by the keyboard, says why, and can't be operated, also without a
/// script.
@Suite(.timeLimit(.minutes(10))) struct LockedControlTests {
    enum Level: String, Codable, Sendable, CaseIterable { case debug, info, error }
    enum Colour: String, Codable, Sendable, CaseIterable { case red, green, blue, black, white }

    struct App: SettingsGroup {
        @Setting var isOn = true
        @Setting var isOff = true
        @Setting var level = Level.info
        @Setting var colour = Colour.red
        @Setting(in: 0.0...1.0) var volume = 0.5
        @Setting var name = "x"
        @Setting var colours: [Colour] = []
        @Setting var none: [String] = []
        @Setting var free = true
    }

    private static let managed = SettingTree([
        "isOn": .bool(true), "isOff": .bool(false), "level": .string("error"), "colour": .string("blue"),
        "volume": .real(0.25), "name": .string("m"), "colours": .array([.string("black")]), "none": .array([]),
    ])

    private let browser: PanelBrowser

    init() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [
                .source(.managed, ManualDomainSource(DomainContents(Self.managed)), locksKeys: true), .application,
            ])
        browser = PanelBrowser(
            SettingsPanel(store, groups: App.self, configuration: .init(title: "x", access: .everyone)))
    }

    /// The form of a key without the button that is never seen.
    private func form(_ key: String) async throws -> String {
        let page = await browser.get("/").text
        let start = try #require(page.firstRange(of: "data-key=\"\(key)\"")).upperBound
        let end = try #require(page[start...].firstRange(of: "</form>")).lowerBound
        return String(page[start..<end])
    }

    @Test(
        "Each kind is reached by the keyboard, with the reason",
        arguments: ["isOn", "isOff", "level", "colour", "volume", "name", "colours", "none"])
    func eachKindReached(key: String) async throws {
        let form = try await form(key)
        let note = try #require(form.firstMatch(of: /class="note" id="([^"]+)">Locked by/)).1
        let elements = form.matches(of: /<(?:span|div|input|select|textarea) [^>]*>/).map { String($0.0) }
        let reached = elements.filter {
            $0.contains("tabindex=\"0\"") || ($0.hasPrefix("<input") && !$0.contains("type=\"hidden\""))
        }
        #expect(!reached.isEmpty, "\(form)")
        for element in reached {
            #expect(element.contains("aria-describedby=\"") && element.contains(String(note)), "\(element)")
            #expect(element.contains(" readonly") || element.contains("aria-disabled=\"true\"") || key == "none")
        }
        // Nothing that somebody could operate, and no button that the Return key would press.
        #expect(!elements.contains { $0.hasPrefix("<select") || $0.contains("checkbox") || $0.contains("type=\"r") })
        let buttons = form.matches(of: /<button [^>]*>/).map { String($0.0) }
        #expect(buttons.count == 1 && buttons.allSatisfy { $0.contains(" disabled") }, "\(buttons)")
    }

    @Test("Each kind shows its value, and has a name") func eachKindShows() async throws {
        for (key, isOn) in [("isOn", "true"), ("isOff", "false")] {
            let form = try await form(key)
            let title = try #require(form.firstMatch(of: /<span class="title" id="([^"]+)">/)).1
            let element = try #require(form.firstMatch(of: /<span role="switch"[^>]*>/)).0
            #expect(element.contains("aria-checked=\"\(isOn)\"") && element.contains("aria-labelledby=\"\(title)\""))
        }
        let level = try await form("level")
        #expect(level.firstMatch(of: /tabindex="0" aria-checked="true"[^>]*>error</) != nil, "\(level)")
        #expect(level.matches(of: /role="radio"/).count == 3 && level.matches(of: /tabindex="0"/).count == 1)
        #expect(try await form("colour").firstMatch(of: /value="blue" readonly/) != nil)
        #expect(try await form("volume").contains("value=\"0.25\""))
        #expect(try await form("colours").firstMatch(of: /value="black" readonly aria-label="Entry 1"/) != nil)
        #expect(try await form("free").contains("type=\"checkbox\""))
    }

    @Test(
        "What only the lock has changed is not marked as changed",
        arguments: ["isOff", "level", "colour", "volume", "name", "colours"])
    func lockChangedMarked(key: String) async throws {
        let form = try await form(key)
        #expect(form.contains("Locked by") && !form.contains("class=\"mark\""), "\(form)")
    }

    @Test("The style sheet sizes what stands for a control as the control, and keeps focus in sight")
    func styleSheetSizes() async {
        let style = await browser.get("/style.css").text
        #expect(style.contains("*, *::before, *::after { box-sizing: border-box; }"))
        #expect(style.contains("scroll-padding-block-start: 5rem; scroll-padding-block-end: 4rem"))
        #expect(style.contains("@media (forced-colors: active)") && style.contains("@media print"))
    }

    @Test("A stored value that a lock covers is marked by its own difference from the default, not by the lock's")
    func coveredMarks() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        try Data(#"{"name": "x", "level": "debug"}"#.utf8).write(to: file)
        let store = try await SettingsStore.open(
            at: file,
            searching: [
                .source(.managed, ManualDomainSource(DomainContents(Self.managed)), locksKeys: true), .application,
            ])
        let panel = SettingsPanel(store, groups: App.self, configuration: .init(title: "x", access: .everyone))
        let forms = ShownForms(await PanelBrowser(panel).get("/"))
        func isMarked(_ key: String) throws -> Bool {
            try #require(forms[key]).elements.contains { $0.attributes["class"] == "mark" }
        }
        // “x” is the default of the name, and “debug” is not that of the level.
        #expect(try !isMarked("name"))
        #expect(try isMarked("level"))
    }

    @Test("The server refuses, whatever is sent") func serverRefusesSent() async throws {
        for (key, value) in [("isOn", ""), ("level", "x"), ("volume", "0.5"), ("name", "y")] {
            let answer = await browser.change(key, [("value", value)])
            #expect(answer.status == 422, "\(key)")
        }
    }
}
