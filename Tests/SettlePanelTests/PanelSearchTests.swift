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

/// Searches, the filter of changed settings, and the download of a page.
@Suite(.timeLimit(.minutes(10))) struct PanelSearchTests {
    private static let page = "/pane?id=limits"

    private func keys(_ page: PanelBrowser.Answer) -> [String] {
        page.text.matches(of: /<form class="control"[^>]* data-key="([^"]+)"/).map { String($0.1) }
    }

    @Test("The words that were found are marked in titles and help texts, whatever their case, and nowhere else")
    func marks() async throws {
        let program = try await PanelProgram()
        let found = await program.browser.get("/search?q=MOST+of").text
        #expect(found.contains("<mark>Most</mark> attempts</label>"), "\(found)")
        #expect(found.contains("How <mark>of</mark>ten."))
        #expect(found.contains("value=\"MOST of\""))
        #expect(!(await program.browser.get(Self.page).text.contains("<mark>")))
    }

    @Test("A search shows 50 settings at most, says how many there are, and a link leads to more")
    func limit() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        try await store.commit {
            for number in 0..<120 { try store.keys.setValue(number, forKey: "setting\(number)") }
        }
        let browser = PanelBrowser(
            SettingsPanel(valuesOf: store, configuration: .init(title: "x", access: .everyone)))
        var address = "/search?q=setting"
        for (count, isWhole) in [(50, false), (100, false), (120, true)] {
            let page = await browser.get(address)
            #expect(keys(page).count == count)
            #expect(page.text.contains("The first \(count) of 120 are shown.") == !isWhole)
            let more = page.text.firstMatch(of: /href="([^"]+)">Show more</)
            #expect((more == nil) == isWhole)
            address = more.map { String($0.1).replacing("&amp;", with: "&") } ?? address
        }
        for limit in ["-1", "x", "99999999999999999999", "0"] {
            #expect(keys(await browser.get("/search?q=setting&hits=\(limit)")).count == 50, "\(limit)")
        }
    }

    @Test("Of a search, the first 16 different words count, and the first 200 characters")
    func limitOfWords() async throws {
        let browser = try await PanelProgram().browser
        let words = "m mo mos most a at att atte attem attemp attempt attempts h ho how o".split(separator: " ")
        #expect(words.count == 16)
        let known = (words + words).joined(separator: "+")
        #expect(keys(await browser.get("/search?q=\(known)+zzzz")) == ["limits.count"])
        #expect(keys(await browser.get("/search?q=\(words.dropLast().joined(separator: "+"))+zzzz")).isEmpty)
        let long = await browser.get("/search?q=most\(String(repeating: "+", count: 196))zzzz")
        #expect(keys(long) == ["limits.count"])
    }

    @Test("Only changed settings are shown on request, of all or of those with the words")
    func changed() async throws {
        let program = try await PanelProgram()
        #expect(await program.browser.get("/search?changed=1").text.contains("Nothing has been changed."))
        try await program.store.commit {
            program.app.limits.count = 4
            program.app.limits.name = "y"
        }
        #expect(Set(keys(await program.browser.get("/search?changed=1"))) == ["limits.count", "limits.name"])
        let page = await program.browser.get("/search?q=most&changed=1")
        #expect(keys(page) == ["limits.count"] && page.text.contains("href=\"/search?q=most\""))
        #expect(page.text.contains("type=\"hidden\" name=\"changed\" value=\"1\""))
        #expect(await program.browser.get("/").text.contains("href=\"/search?changed=1\""))
    }

    @Test("A form among the results returns to them, and keeps its marks")
    func returning() async throws {
        let program = try await PanelProgram()
        let address = "/search?q=most"
        let answer = await program.browser.change("limits.count", [("value", "9")], on: address)
        #expect(answer.status == 303 && answer.field("Location")?.hasPrefix("\(address)#c-limits") == true)
        #expect(program.app.limits.count == 9)
        let form = await program.browser.change("limits.count", [("value", "8")], on: address, asScript: true)
        #expect(form.status == 200 && form.text.contains("<mark>Most</mark>"))
        #expect(await program.browser.get("/form?key=limits.count&q=most").text.contains("<mark>Most</mark>"))
    }

    @Test("The stream of the changed settings reports when others belong to them")
    func changedStream() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.count = 4 }
        let page = await program.browser.get("/search?changed=1")
        var reader = try await program.browser.events(page.eventsAddress)
        #expect(!(try await reader.next().contains("event: contents")))
        try await program.store.commit { program.app.limits.volume = 0.25 }
        #expect(try await reader.next(until: "event: contents").contains("event: contents"))
    }

    @Test("The JSON of a page has the values in force, nested as in a file, and no secret")
    func json() async throws {
        let program = try await PanelProgram(
            overrides: SettingTree(["limits": .dictionary(["name": .string("boss’s")])]))
        try await program.store.commit {
            program.app.limits.count = 9
            program.app.limits.name = "own"
        }
        let answer = await program.browser.get("/json?pane=limits")
        #expect(answer.status == 200 && answer.field("Content-Type") == "application/json; charset=utf-8")
        #expect(answer.field("Content-Disposition")?.hasPrefix("attachment") == true)
        let values = SettingTree(["root": try SettingValue(json: Data(answer.text.utf8))])
        #expect(values["root.limits.count"] == .integer(9) && values["root.limits.name"] == .string("boss’s"))
        #expect(values["root.limits.token"] == nil && !answer.text.contains("hunter2"))
        #expect(await program.browser.get("/json?pane=nothing").status == 404)
        #expect(await program.browser.get(Self.page).text.contains("href=\"/json?pane=limits\" download"))
    }
}
