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

/// What a person changes on a page, without a script.
@Suite(.timeLimit(.minutes(10))) struct PanelChangeTests {
    private static let page = "/pane?id=limits"

    private func change(
        _ program: PanelProgram, _ key: String, _ fields: (String, String)...
    ) async -> PanelBrowser.Answer {
        await program.browser.change("limits.\(key)", fields, on: Self.page)
    }

    @Test("Each kind of control stores the value of its type") func eachKindControl() async throws {
        let program = try await PanelProgram()
        let limits = program.app.limits
        #expect(await change(program, "count", ("value", "9")).status == 303)
        #expect(limits.count == 9)
        #expect(await change(program, "isEnabled").status == 303)
        #expect(limits.isEnabled == false)
        #expect(await change(program, "isEnabled", ("value", "on")).status == 303)
        #expect(limits.isEnabled)
        #expect(await change(program, "volume", ("value", "0.25")).status == 303)
        #expect(limits.volume == 0.25)
        #expect(await change(program, "name", ("value", "Carol\r\n“x” & <b>")).status == 303)
        #expect(limits.name == "Carol\n“x” & <b>")
        #expect(await change(program, "nick", ("value", "c")).status == 303)
        #expect(limits.nick == "c")
        #expect(await change(program, "nick", ("value", "")).status == 303)
        #expect(limits.nick == nil)
        let error = await program.browser.get(Self.page).choice("error", of: "limits.level")
        #expect(await change(program, "level", ("value", error)).status == 303)
        #expect(limits.level == .error)
        #expect(await change(program, "since", ("value", "2026-11-23T12:00")).status == 303)
        #expect(limits.since.timeIntervalSince1970 == 1_795_435_200)
        #expect(await change(program, "timeout", ("value", "1m30s")).status == 303)
        #expect(limits.timeout == .seconds(90))
        #expect(await change(program, "data", ("value", "BAUG")).status == 303)
        #expect(limits.data == Data([4, 5, 6]))
        #expect(await change(program, "token", ("value", "new")).status == 303)
        #expect(limits.token == Secret("new"))
    }

    @Test("What a page shows is what it stores again") func pageShowsStores() async throws {
        let program = try await PanelProgram()
        let dates = [1_700_000_000, 1_700_000_000.25, -1, 253_402_300_799]
        for date in dates.map(Date.init(timeIntervalSince1970:)) {
            program.app.limits.since = date
            let page = await program.browser.get(Self.page).text
            let shown = try #require(page.firstMatch(of: /type="datetime-local"[^>]* value="([^"]*)"/)).1
            #expect(await change(program, "since", ("value", String(shown))).status == 303)
            #expect(program.app.limits.since == date)
        }
    }

    @Test(
        "A refused value stays in its field, with the rule beside it",
        arguments: [
            ("count", "21", "“Most attempts” can’t be 21 times; allowed: from 0 to 20."),
            ("count", "x", "is not a whole number"),
            ("count", "1.5", "whole number"),
            ("count", "", "A value is needed here"), ("volume", "2", "“Volume” can’t be 2; allowed: from 0 to 1."),
            ("since", "yesterday", "is not a date"),
            ("timeout", "long", "is not a duration"), ("data", "%%%", "base64"),
            ("level", "7", "Choose an entry from the list"),
        ])
    func refusedValueStays(
        key: String, typed: String, rule: String
    ) async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.nick = "a token" }
        let before = await program.browser.get(Self.page).text
        let answer = await change(program, key, ("value", typed))
        #expect(answer.status == 422)
        let form = try #require(answer.text.firstRange(of: "data-key=\"limits.\(key)\""))
        let rest = answer.text[form.upperBound...]
        let own = rest[..<(rest.firstRange(of: "</form>")?.lowerBound ?? rest.endIndex)]
        #expect(own.contains("role=\"alert\"") && own.contains(rule), "\(own)")
        if !typed.isEmpty, key != "level" { #expect(own.contains("value=\"\(typed)\"") || own.contains(typed)) }
        #expect(await program.browser.get(Self.page).text == before)
    }

    @Test("A change that is cancelled before its commit is 503, as from an API, and changes nothing")
    func cancelled() async throws {
        let program = try await PanelProgram()
        #expect(await change(program, "count", ("value", "4")).status == 303)
        let why = await program.browser.get("/why?key=limits.count").text
        let token = try #require(why.firstMatch(of: /name="token" value="([^"]+)"/)).1
        let set = await program.browser.get(Self.page).form(of: "limits.count") + [("value", "9")]
        let undo = [("token", String(token)), ("key", "limits.count")]
        let requests: [(String, [(String, String)])] = [("/set", set), ("/undo", undo), ("/reset", [])]
        for (target, fields) in requests {
            let task = Task { [browser = program.browser] in
                withUnsafeCurrentTask { $0?.cancel() }
                return await browser.post(target, fields)
            }
            let answer = await task.value
            #expect(answer.status == 503 && answer.text.contains("cancelled before its commit"), "\(target)")
            #expect(program.app.limits.count == 4)
        }
        #expect(await program.browser.post("/undo", undo).status == 303)
    }

    @Test("A change that can't be saved is 503, with the reason") func notSaved() async throws {
        let storage = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: storage)
        let configuration = SettingsPanel.Configuration(title: "x", access: .everyone)
        let browser = PanelBrowser(
            SettingsPanel(store, groups: PanelProgram.Limits.self, configuration: configuration))
        storage.fail(.lock, with: StorageError(.noSpace, "The disk is full."))
        let answer = await browser.change("count", [("value", "9")])
        #expect(answer.status == 503 && answer.text.contains("The disk is full."))
        storage.heal()
        #expect(await browser.change("count", [("value", "9")]).status == 303)
        try await store.close()
    }

    @Test("A list has its parts added, changed, moved and removed") func listPartsAdded() async throws {
        let program = try await PanelProgram()
        let limits = program.app.limits
        #expect(await change(program, "tags", ("newPart", "a"), ("action", "add")).status == 303)
        // Something typed counts, whichever button is pressed.
        #expect(await change(program, "tags", ("part", "a"), ("newPart", "b"), ("action", "save")).status == 303)
        #expect(limits.tags == ["a", "b"])
        #expect(
            await change(program, "tags", ("part", "a"), ("part", "b"), ("newPart", ""), ("action", "up 1")).status
                == 303)
        #expect(limits.tags == ["b", "a"])
        #expect(await change(program, "tags", ("part", "b"), ("part", "x"), ("action", "down 0")).status == 303)
        #expect(limits.tags == ["x", "b"])
        #expect(await change(program, "tags", ("part", "x"), ("part", "b"), ("action", "remove 0")).status == 303)
        #expect(limits.tags == ["b"])
        let farAway = ["up \(Int.min)", "down \(Int.max)"]
        for action in ["remove 7", "up 0", "down 0", "up -1", "remove x", "nonsense"] + farAway {
            #expect(await change(program, "tags", ("part", "b"), ("action", action)).status == 303)
            #expect(limits.tags == ["b"], "\(action)")
        }
    }

    @Test("A dictionary refuses entries without a name, twice the same, and of another type")
    func dictionaryRefusesEntries() async throws {
        let program = try await PanelProgram()
        let limits = program.app.limits
        func ports(_ entries: [(String, String)], _ more: (String, String)...) async -> PanelBrowser.Answer {
            await program.browser.change(
                "limits.ports", entries.flatMap { [("name", $0.0), ("part", $0.1)] } + more, on: Self.page)
        }
        #expect(await ports([], ("newName", "web"), ("newPart", "80"), ("action", "add")).status == 303)
        #expect(limits.ports == ["web": 80])
        #expect(await ports([("web", "80"), ("", "1")]).text.contains("Each entry needs a name."))
        #expect(await ports([("web", "80"), ("web", "81")]).text.contains("There are two entries"))
        #expect(await ports([("web", "x")]).text.contains("is not a whole number"))
        #expect(await ports([("web", "")]).text.contains("is empty"))
        #expect(limits.ports == ["web": 80])
        #expect(await ports([("web", "80"), ("ssh", "22")], ("action", "remove 0")).status == 303)
        #expect(limits.ports == ["ssh": 22])
    }

    @Test("If somebody else has changed it meanwhile, both values are shown, and one is chosen")
    func somebodyElseChanged() async throws {
        let program = try await PanelProgram()
        try await program.store.commit { program.app.limits.name = "old" }
        let form = await program.browser.get(Self.page).form(of: "limits.name")
        try await program.store.commit(author: "alice") { program.app.limits.name = "theirs" }
        // Another key is no conflict.
        let other = await program.browser.get(Self.page).form(of: "limits.count")
        try await program.store.commit(author: "alice") { program.app.limits.volume = 0.1 }
        #expect(await program.browser.post("/set", other + [("value", "5")]).status == 303)
        let answer = await program.browser.post("/set", form + [("value", "mine")])
        #expect(answer.status == 409)
        #expect(answer.text.contains("alice") && answer.text.contains("theirs") && answer.text.contains("mine"))
        #expect(program.app.limits.name == "theirs")
        #expect(await program.browser.post("/set", answer.form(of: "limits.name") + [("value", "mine")]).status == 303)
        #expect(program.app.limits.name == "mine")
    }

    @Test("Resets give defaults back: of one, of a pane, of all, and only after a question")
    func resetsGiveDefaults() async throws {
        let program = try await PanelProgram()
        let limits = program.app.limits
        try await program.store.commit {
            (limits.count, limits.name, limits.isEnabled) = (9, "y", false)
        }
        #expect(await change(program, "count", ("action", "reset")).status == 303)
        #expect(limits.count == 3)
        let question = await program.browser.get("/reset?pane=limits")
        #expect(question.status == 200 && question.text.contains("Name") && !question.text.contains("Most attempts"))
        #expect(limits.name == "y")
        #expect(await program.browser.post("/reset", [("pane", "limits")]).status == 303)
        #expect(limits.name == "x" && limits.isEnabled)
        limits.name = "z"
        #expect(await program.browser.post("/reset", []).status == 303)
        #expect(limits.name == "x")
        #expect(await program.browser.post("/reset", [("pane", "nothing")]).status == 303)
    }

    @Test("What belongs to an owner, or is locked, is shown and can't be changed")
    func belongsOwnerLocked() async throws {
        let program = try await PanelProgram(managed: SettingTree(["limits": .dictionary(["count": .integer(5)])]))
        let page = await program.browser.get(Self.page).text
        #expect(page.contains("Locked by"))
        #expect(await change(program, "count", ("value", "9")).status == 422)
        #expect(await change(program, "count", ("action", "reset")).status == 422)
        #expect(program.app.limits.count == 5)
        let owned = await program.browser.get("/pane?id=owned")
        #expect(owned.text.contains("Only the program itself changes this.") && owned.text.contains(" readonly"))
        for fields in [[("value", "0")], [("action", "reset")]] {
            let answer = await program.browser.change("owned.attempts", fields, on: "/pane?id=owned")
            #expect(answer.status == 422)
        }
        _ = await program.browser.post("/reset", [])
        #expect(program.app.owned.attempts == 7)
    }

    @Test("A covered value says what is in force, and by whom") func coveredValueSays() async throws {
        let program = try await PanelProgram(
            overrides: SettingTree(["limits": .dictionary(["name": .string("boss’s")])]))
        try await program.store.commit { program.app.limits.name = "own" }
        let page = await program.browser.get(Self.page).text
        #expect(page.contains("In force: boss’s.") && page.contains("value=\"own\""))
    }

    @Test("A covered value that equals the default has no mark, and another one has")
    func coveredMarks() async throws {
        let program = try await PanelProgram(
            overrides: SettingTree(["limits": .dictionary(["name": .string("boss’s"), "count": .integer(9)])]))
        // The default of the name is “x”, that of the count 3.
        try await program.store.commit {
            try program.store.keys.setValue(SettingValue.string("x"), forKey: "limits.name")
            try program.store.keys.setValue(SettingValue.integer(4), forKey: "limits.count")
        }
        let forms = ShownForms(await program.browser.get(Self.page))
        func isMarked(_ key: String) throws -> Bool {
            try #require(forms[key]).elements.contains { $0.attributes["class"] == "mark" }
        }
        #expect(try !isMarked("limits.name"))
        #expect(try isMarked("limits.count"))
    }

    @Test("A secret is never shown: not as a value, nor when it is refused, nor in its history")
    func secretNeverShown() async throws {
        let program = try await PanelProgram()
        #expect(await change(program, "token", ("value", "s3cr3t")).status == 303)
        for place in [Self.page, "/why?key=limits.token", "/search?q=token", "/reset?pane=limits"] {
            let text = await program.browser.get(place).text
            #expect(!text.contains("s3cr3t") && !text.contains("hunter2"), "\(place)")
        }
        #expect(await program.browser.get(Self.page).text.contains("Is set"))
        // An empty field leaves it alone.
        #expect(await change(program, "token", ("value", "")).status == 303)
        #expect(program.app.limits.token == Secret("s3cr3t"))
    }

    @Test("A script gets the changed form alone") func scriptGetsChanged() async throws {
        let program = try await PanelProgram()
        let done = await program.browser.change("limits.count", [("value", "9")], on: Self.page, asScript: true)
        #expect(done.status == 200 && done.text.hasPrefix("<form") && done.text.contains("value=\"9\""))
        let refused = await program.browser.change("limits.count", [("value", "99")], on: Self.page, asScript: true)
        #expect(refused.status == 422 && refused.text.hasPrefix("<form") && refused.text.contains("value=\"99\""))
    }

    @Test("The history tells who has changed what, and an undo takes it back") func historyTellsChanged() async throws {
        let program = try await PanelProgram()
        #expect(await change(program, "count", ("value", "9")).status == 303)
        let why = await program.browser.get("/why?key=limits.count").text
        #expect(why.contains("panel") && why.contains("9"))
        let token = try #require(why.firstMatch(of: /name="token" value="([^"]+)"/)).1
        #expect(await program.browser.post("/undo", [("token", String(token)), ("key", "limits.count")]).status == 303)
        #expect(program.app.limits.count == 3)
        #expect(await program.browser.post("/undo", [("token", String(token))]).status == 409)
        #expect(await program.browser.post("/undo", [("token", "x")]).status == 404)
    }

    @Test("The page of a value has sentences for users, and keys and files only for developers")
    func pageValueSentences() async throws {
        let program = try await PanelProgram(
            managed: SettingTree(["limits": .dictionary(["level": .string("error")])]),
            overrides: SettingTree(["limits": .dictionary(["volume": .real(0.25)])]))
        #expect(await change(program, "count", ("value", "9")).status == 303)
        func parts(_ key: String) async throws -> (users: String, developers: String) {
            let text = await program.browser.get("/why?key=limits.\(key)").text
            let start = try #require(text.firstRange(of: "<details>")?.lowerBound, "\(text)")
            let main = try #require(text.firstRange(of: "<main")?.upperBound)
            return (String(text[main..<start]), String(text[start...]))
        }
        let count = try await parts("count")
        #expect(count.users.contains(">9 times<") && count.users.contains("chosen in these settings"), "\(count.users)")
        #expect(count.users.contains("by “panel”") && count.users.contains(">Undo<"))
        #expect(count.developers.contains(">limits.count<") && count.developers.contains("app.json"))
        // A form's hidden field and an address have the key, but nobody sees it.
        #expect(!count.users.contains(">limits.count<") && !count.users.contains("app.json"))
        #expect(try await parts("name").users.contains("This is the default."))
        #expect(try await parts("level").users.contains("An administrator has set this value. It is locked"))
        #expect(try await parts("volume").users.contains("but from: boss."))
        let token = try await parts("token").users
        #expect(token.contains(">Not set<") && !token.contains("hunter2"))
    }

    @Test("The link to a value's page is one stop of the keyboard, and has a name") func linkValuePage() async throws {
        let program = try await PanelProgram()
        let form = try #require(ShownForms(await program.browser.get(Self.page))["limits.count"])
        let links = form.elements.filter { $0.attributes["class"] == "why" }
        #expect(links.count == 1 && links[0].name == "a" && links[0].attributes["href"] == "/why?key=limits.count")
        #expect(links.first?.children.last?.children.first?.text == "Why? Most attempts")
        // What is not stored can't be reset, so there is no line of buttons.
        #expect(!form.elements.contains { $0.attributes["class"] == "more" })
    }

    @Test("Keys that are not shown can't be written") func keysShownWritten() async throws {
        let program = try await PanelProgram()
        for key in ["limits", "limits.nothing", "", "a..b", "limits.count.x"] {
            #expect(await program.browser.post("/set", [("key", key), ("value", "1")]).status == 404, "\(key)")
        }
        #expect((program.store.history.token?.position ?? 0) == 0)
    }

    @Test("A search finds titles, keys, help and choices, whatever their case") func searchFindsTitles() async throws {
        let program = try await PanelProgram()
        for words in ["most", "ATTEMPTS often", "limits.count", "Times"] {
            let place = words.replacing(" ", with: "+")
            #expect(
                await program.browser.get("/search?q=\(place)").text.contains("data-key=\"limits.count\""), "\(words)")
        }
        #expect(await program.browser.get("/search?q=debug").text.contains("data-key=\"limits.level\""))
        #expect(await program.browser.get("/search?q=nothinglikethis").text.contains("Nothing was found for"))
        #expect(!(await program.browser.get("/search?q=").text.contains("<form class=\"control\"")))
    }
}
