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

/// What a form of a setting has, and what becomes of it when it is sent.
@Suite(.timeLimit(.minutes(10))) struct PanelFormTests {
    private static let page = "/pane?id=limits"

    /// A panel of a program that has left a schema.
    private struct Described {
        let folder: TemporaryFolder
        let store: SettingsStore

        init(_ values: SettingValue.Entries = [:]) async throws {
            folder = try TemporaryFolder()
            store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
            guard !values.isEmpty else { return }
            let store = store
            try await store.commit {
                for (name, value) in values { try store.keys.setValue(value, forKey: SettingKey.path(name)) }
            }
        }

        func browser(_ properties: String) throws -> PanelBrowser {
            let schema = try SettingValue(json: Data("{\"properties\": {\(properties)}}".utf8))
            return PanelBrowser(
                SettingsPanel(store, jsonSchema: schema, configuration: .init(title: "x", access: .everyone)))
        }

        func stored(_ key: String) throws -> SettingValue? { store.keys.effectiveValues[SettingKey.path(key)] }
    }

    private static let list = #""list": {"type": "array", "items": {"type": "string"}, "x-type": "[String]"}"#

    /// The form of a key, as a part of a page.
    private func form(_ key: String, in page: String) throws -> String {
        let start = try #require(page.firstRange(of: "data-key=\"\(key)\""), "\(page)")
        let rest = page[start.upperBound...]
        return String(rest[..<(rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex)])
    }

    @Test("Texts of several lines in a list have identifiers and names of their own")
    func textAreasInLists() async throws {
        let described = try await Described(["list": .array([.string("a\nb"), .string("c\nd")])])
        let page = await (try described.browser(Self.list)).get("/")
        let areas = try #require(ShownForms(page)["list"]).elements.filter { $0.name == "textarea" }
        #expect(areas.compactMap { $0.attributes["aria-label"] } == ["Entry 1", "Entry 2"])
        #expect(areas.count == 2 && Set(areas.compactMap { $0.attributes["id"] }).count == 2)
    }

    @Test("What is shown as JSON stays JSON when it is refused") func shownJSONStays() async throws {
        let described = try await Described(["list": .array([.string("a"), .null])])
        let browser = try described.browser(Self.list)
        let page = await browser.get("/")
        #expect(page.form(of: "list").contains { $0 == ("as", "json") })
        let refused = await browser.post("/set", page.form(of: "list") + [("value", "[\"a\", nul]")])
        #expect(refused.status == 422)
        let form = try form("list", in: refused.text)
        #expect(form.contains("[&quot;a&quot;, nul]</textarea>") && !form.contains("newPart"), "\(form)")
        let corrected = refused.form(of: "list") + [("value", "[\"a\", \"b\"]")]
        #expect(await browser.post("/set", corrected).status == 303)
        #expect(try described.stored("list") == .array([.string("a"), .string("b")]))
    }

    /// The numbers of fields around the limit that there was once, and far above it.
    @Test(
        "A list is stored whole, however many fields its form has", arguments: [9_999, 10_000, 10_001, 10_002, 30_000])
    func listStoredWhole(count: Int) async throws {
        let described = try await Described(["list": .array([.string("a")])])
        let browser = try described.browser(Self.list)
        let hidden = await browser.get("/").form(of: "list")
        let entries = (0..<count - hidden.count).map { "\($0)" }
        let answer = await browser.post("/set", hidden + entries.map { ("part", $0) })
        #expect(answer.status == 303)
        #expect(try described.stored("list") == .array(entries.map { .string($0) }))
    }

    private static let ports =
        #""ports": {"type": "object", "additionalProperties": {"type": "integer"}, "x-type": "[String: Int]"}"#

    @Test(
        "A dictionary is stored whole, however many fields its form has",
        arguments: [9_999, 10_000, 10_001, 10_002, 20_000])
    func dictionaryStoredWhole(count: Int) async throws {
        let described = try await Described(["ports": .dictionary(["a": .integer(1)])])
        let browser = try described.browser(Self.ports)
        var fields = await browser.get("/").form(of: "ports")
        var entries = SettingValue.Entries()
        while fields.count + 1 < count {
            let number = entries.count
            entries["p\(number)"] = .integer(Int64(number))
            fields += [("name", "p\(number)"), ("part", "\(number)")]
        }
        if fields.count < count { fields.append(("action", "save")) }
        #expect(await browser.post("/set", fields).status == 303)
        #expect(try described.stored("ports") == .dictionary(entries))
    }

    @Test("A dictionary whose form has lost a name or a value is refused, and stays")
    func dictionaryWhoseForm() async throws {
        let described = try await Described(["ports": .dictionary(["a": .integer(1)])])
        let browser = try described.browser(Self.ports)
        let form = await browser.get("/").form(of: "ports")
        for fields in [
            [("name", "a"), ("part", "2"), ("name", "b")], [("name", "a"), ("part", "2"), ("part", "3")],
        ] {
            #expect(await browser.post("/set", form + fields).status == 422)
        }
        #expect(try described.stored("ports") == .dictionary(["a": .integer(1)]))
    }

    @Test("A list that is larger than a request may be is refused with a sentence, and stays")
    func listLargerRequest() async throws {
        let described = try await Described(["list": .array([.string("a")])])
        let browser = try described.browser(Self.list)
        let hidden = await browser.get("/").form(of: "list").map { "\($0)=\($1)" }.joined(separator: "&")
        let origin = [(name: "Origin", value: "http://localhost:8080")]
        let room = SettingsPanel.bodyLimit - hidden.utf8.count
        // Whole fields up to the limit, with a last one that fills it.
        let parts = String(repeating: "&part=b", count: room / 7 - 1)
        let last = "&part=" + String(repeating: "c", count: room - parts.utf8.count - 6)
        let answer = await browser.send("POST", "/set", origin, Array((hidden + parts + last + "c").utf8))
        #expect(answer.status == 413 && answer.text.contains("nothing was changed"))
        #expect(try described.stored("list") == .array([.string("a")]))
        #expect(await browser.send("POST", "/set", origin, Array((hidden + parts + last).utf8)).status == 303)
        guard case .array(let stored)? = try described.stored("list") else {
            Issue.record("No list is stored.")
            return
        }
        #expect(stored.count == room / 7 && stored.last == .string(String(last.dropFirst(6))))
    }

    @Test("A long list is shown as JSON, and one that is refused does not come back as inputs")
    func longListShown() async throws {
        let numbers = #""list": {"type": "array", "items": {"type": "integer"}, "x-type": "[Int]"}"#
        let described = try await Described(["list": .array([.integer(1)])])
        let browser = try described.browser(numbers)
        let hidden = await browser.get("/").form(of: "list")
        let origin = [(name: "Origin", value: "http://localhost:8080")]
        let empty = hidden.map { "\($0)=\($1)" }.joined(separator: "&") + String(repeating: "&part=", count: 150_000)
        for script in [[], [(name: "X-Settle-Fragment", value: "1")]] {
            let refused = await browser.send("POST", "/set", origin + script, Array(empty.utf8))
            #expect(refused.status == 422 && refused.text.contains("role=\"alert\">Entry 1 is empty."))
            #expect(refused.text.utf8.count < 10_000)
        }
        #expect(try described.stored("list") == .array([.integer(1)]))
        let entries = (0..<1001).map { ("part", "\($0)") }
        #expect(await browser.post("/set", hidden + entries).status == 303)
        let page = await browser.get("/")
        #expect(page.form(of: "list").contains { $0 == ("as", "json") } && !page.text.contains("name=\"part\""))
        #expect(await browser.post("/set", page.form(of: "list") + [("value", "[2, 3]")]).status == 303)
        #expect(try described.stored("list") == .array([.integer(2), .integer(3)]))
        #expect(await browser.get("/").text.matches(of: /name="part"/).count == 2)
    }

    @Test("The first of two pages of a file that is not there yet wins, and the second is told")
    func firstTwoPages() async throws {
        // A file that keeps its history is begun at once.
        let program = try await PanelProgram(history: .unchanged)
        #expect(program.store.history.token == nil)
        let first = await program.browser.get(Self.page), second = await program.browser.get(Self.page)
        #expect(await program.browser.post("/set", first.form(of: "limits.name") + [("value", "one")]).status == 303)
        let answer = await program.browser.post("/set", second.form(of: "limits.name") + [("value", "two")])
        #expect(answer.status == 409 && answer.text.contains("one") && answer.text.contains("two"))
        #expect(program.app.limits.name == "one")
        // A secret is compared by whether there is one.
        let other = try await PanelProgram(history: .unchanged)
        let form = await other.browser.get(Self.page).form(of: "limits.token")
        try await other.store.commit { other.app.limits.token = Secret("theirs") }
        #expect(await other.browser.post("/set", form + [("value", "mine")]).status == 409)
        #expect(other.app.limits.token == Secret("theirs"))
    }

    @Test("A reset that meets another change is offered as a reset") func resetMeetsAnother() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.name = "old" }
        let old = await program.browser.get(Self.page).form(of: "limits.name")
        try await program.store.commit { program.app.limits.name = "theirs" }
        let answer = await program.browser.post("/set", old + [("value", "old"), ("action", "reset")])
        #expect(answer.status == 409)
        let form = try form("limits.name", in: answer.text)
        #expect(!form.contains("Save mine") && !form.contains("value=\"old\""), "\(form)")
        #expect(form.contains("value=\"theirs\"") && form.contains("The default"), "\(form)")
        let again = answer.form(of: "limits.name") + [("value", "theirs"), ("action", "reset")]
        #expect(await program.browser.post("/set", again).status == 303)
        #expect(program.app.limits.name == "x")
    }

    @Test("A secret that meets another change is asked for again, and nothing is said to be saved")
    func secretMeetsAnother() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.token = Secret("old") }
        let old = await program.browser.get(Self.page).form(of: "limits.token")
        try await program.store.commit { program.app.limits.token = Secret("theirs") }
        let answer = await program.browser.post("/set", old + [("value", "mine")])
        let form = try form("limits.token", in: answer.text)
        #expect(answer.status == 409 && form.contains("Type yours again") && !form.contains("Save mine"), "\(form)")
        let empty = await program.browser.change("limits.token", [("value", "")], on: Self.page, asScript: true)
        #expect(empty.status == 200 && empty.field("X-Settle-Unchanged") != nil)
        let full = await program.browser.change("limits.token", [("value", "mine")], on: Self.page, asScript: true)
        #expect(full.status == 200 && full.field("X-Settle-Unchanged") == nil)
        #expect(program.app.limits.token == Secret("mine"))
    }

    @Test("What was stored, and is sent again since the answer was lost, is no conflict")
    func storedSentAgain() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.nick = "a token" }
        for (key, value) in [("name", "new"), ("count", "9"), ("volume", "1"), ("since", "2026-11-23T12:00")] {
            let sent = await program.browser.get(Self.page).form(of: "limits.\(key)") + [("value", value)]
            #expect(await program.browser.post("/set", sent).status == 303)
            #expect(await program.browser.post("/set", sent).status == 303, "\(key)")
        }
        let reset = await program.browser.get(Self.page).form(of: "limits.name") + [("action", "reset")]
        #expect(await program.browser.post("/set", reset).status == 303)
        #expect(await program.browser.post("/set", reset).status == 303)
        #expect(program.app.limits.name == "x")
    }

    @Test("Who corrects what was refused is told of what others have done since the page was made")
    func correctsRefusedTold() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.count = 4 }
        let form = await program.browser.get(Self.page).form(of: "limits.count")
        try await program.store.commit(author: "alice") { program.app.limits.count = 5 }
        let refused = await program.browser.post("/set", form + [("value", "99")])
        #expect(refused.status == 422)
        let answer = await program.browser.post("/set", refused.form(of: "limits.count") + [("value", "9")])
        #expect(answer.status == 409 && answer.text.contains("alice"))
        #expect(program.app.limits.count == 5)
    }

    @Test("Only what differs from its default has a mark") func differsDefaultMark() async throws {
        let program = try await PanelProgram()
        func isMarked(_ key: String) async throws -> Bool {
            try form("limits.\(key)", in: await program.browser.get(Self.page).text).contains("class=\"mark\"")
        }
        #expect(try await !isMarked("isEnabled"))
        _ = await program.browser.change("limits.isEnabled", [], on: Self.page)
        #expect(try await isMarked("isEnabled"))
        _ = await program.browser.change("limits.isEnabled", [("value", "on")], on: Self.page)
        #expect(try await !isMarked("isEnabled"))
        let described = try await Described(["n": .integer(3), "m": .integer(4)])
        let type = #"{"type": "integer", "default": 3, "x-type": "Int"}"#
        let page = await (try described.browser("\"n\": \(type), \"m\": \(type)")).get("/").text
        #expect(try !form("n", in: page).contains("class=\"mark\""))
        #expect(try form("m", in: page).contains("class=\"mark\""))
    }

    @Test("A choice of a page that was made before an upgrade is the same one after it")
    func choicePageMade() async throws {
        let described = try await Described(["level": .string("low")])
        func schema(_ cases: String) -> String {
            #""level": {"enum": [\#(cases)], "type": "string", "x-type": "Level"}"#
        }
        let page = await (try described.browser(schema(#""low", "high""#))).get("/")
        let high = page.choice("high", of: "level")
        #expect(!high.isEmpty)
        let upgraded = try described.browser(schema(#""off", "low", "middle", "high""#))
        #expect(await upgraded.post("/set", page.form(of: "level") + [("value", high)]).status == 303)
        #expect(try described.stored("level") == .string("high"))
    }

    @Test("A number between limits that need not be there is a field, and can be emptied")
    func numberBetweenLimits() async throws {
        let described = try await Described(["balance": .real(0.5)])
        let browser = try described.browser(
            #""balance": {"type": ["number", "null"], "minimum": -1, "maximum": 1, "x-type": "Double?"}"#)
        let page = await browser.get("/")
        #expect(page.text.contains("type=\"number\"") && !page.text.contains("type=\"range\""))
        for (typed, stored) in [(".5", SettingValue.real(0.5)), ("-.25", .real(-0.25)), ("", .null)] {
            #expect(await browser.change("balance", [("value", typed)]).status == 303)
            #expect(try described.stored("balance") == stored, "\(typed)")
        }
        #expect(!(await browser.get("/").text.contains("type=\"range\"")))
    }

    @Test("A name that a field of one line would change is shown as JSON") func nameFieldOne() async throws {
        let described = try await Described(["ports": .dictionary(["a\nb": .integer(1)])])
        let browser = try described.browser(Self.ports)
        #expect(await browser.get("/").form(of: "ports").contains { $0 == ("as", "json") })
    }

    @Test("The images of a slider are found, whatever they are called") func imagesSliderFound() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .registration])
        let bundle = SettingsBundle(
            root: SettingsBundle.Pane(specifiers: [
                SettingsBundle.Specifier(
                    .slider(.init(minimum: 0, maximum: 1, minimumImage: "leise & #1?.png")), key: "volume",
                    title: "Volume", defaultValue: .real(0.5))
            ]))
        try store.domains.register(contentsOf: bundle)
        let browser = PanelBrowser(
            SettingsPanel(store, bundle: bundle, configuration: .init(title: "x", access: .everyone)))
        #expect(await browser.get("/").text.contains("src=\"/image?name=leise%20%26%20%231%3F.png\""))
    }

    @Test("Fields that are locked or refused say so to a screen reader") func fieldsLockedRefused() async throws {
        let program = try await PanelProgram(managed: SettingTree(["limits": .dictionary(["name": .string("m")])]))
        let locked = try form("limits.name", in: await program.browser.get(Self.page).text)
        let note = try #require(locked.firstMatch(of: /class="note" id="([^"]+)">Locked/)).1
        #expect(locked.contains("aria-describedby=\"\(note)\"") && locked.contains(" readonly"), "\(locked)")
        #expect(!locked.contains("does not count"))
        let refused = await program.browser.change("limits.level", [("value", "nothing")], on: Self.page)
        #expect(try form("limits.level", in: refused.text).contains("aria-invalid=\"true\""))
        let described = try await Described(["a": .integer(1)])
        let browser = try described.browser(
            #""a": {"enum": [1, 2, 3, 4, 5], "type": "integer", "x-type": "Int"}"#)
        let menu = try form("a", in: await browser.change("a", [("value", "nothing")]).text)
        #expect(menu.contains("<select") && menu.contains("aria-invalid=\"true\""))
    }

    @Test("The form of one setting can be had alone") func formOneSetting() async throws {
        let program = try await PanelProgram()
        let answer = await program.browser.get("/form?key=limits.count")
        #expect(answer.status == 200 && answer.text.hasPrefix("<form") && answer.text.contains("value=\"3\""))
        #expect(await program.browser.get("/form?key=nothing").status == 404)
    }
}
