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

/// A page that follows its stream.
@Suite(.timeLimit(.minutes(10))) struct PanelFollowingTests {
    /// A page that follows its stream, from the first event on.
    private struct Page {
        let browser: PanelBrowser
        var reader: PanelEventReader
        var shown: ShownForms

        init(_ browser: PanelBrowser, _ place: String) async throws {
            self.browser = browser
            let page = await browser.get(place)
            shown = ShownForms(page)
            reader = try await browser.events(page.eventsAddress)
            try shown.show(await reader.next())
        }

        /// Follows the events until the form of a key is as the program makes it.
        mutating func follow(_ key: String) async throws {
            let form = await browser.get("/form?key=\(key)")
            while true {
                try shown.show(await reader.next())
                if shown[key]?.description == HTMLNode(element: form.text).description { return }
            }
        }
    }

    private let keys = [
        "isEnabled", "volume", "name", "nick", "level", "since", "timeout", "data", "tags", "ports", "token",
    ]

    private func page(of program: PanelProgram) async throws -> Page {
        // Otherwise the first change of each setting adds a reset.
        try await program.store.commit {
            let limits = program.app.limits
            (limits.count, limits.isEnabled, limits.volume, limits.name) = (4, false, 0.25, "y")
            (limits.nick, limits.level, limits.since) = ("n", .debug, Date(timeIntervalSince1970: 1_600_000_000))
            (limits.timeout, limits.data, limits.tags, limits.ports) = (.seconds(20), Data([9]), ["a", "b"], ["a": 1])
            limits.token = Secret("first")
        }
        return try await Page(program.browser, "/pane?id=limits")
    }

    @Test("What changes again and again is sent alone, and shows as the program makes it")
    func changesAgainAgain() async throws {
        let program = try await PanelProgram()
        var page = try await page(of: program)
        for count in 5..<9 {
            try await program.store.commit { program.app.limits.count = count }
            try await page.follow("limits.count")
            #expect(page.shown.sent == ["limits.count"])
            #expect(page.shown.input(of: "limits.count") == "\(count)")
        }
    }

    @Test("A form that gets more or fewer elements is sent as it is then") func formGetsMore() async throws {
        let program = try await PanelProgram()
        var page = try await page(of: program)
        for tags in [["a", "c"], ["a", "c", "d"], ["x", "c", "d"], []] {
            try await program.store.commit { program.app.limits.tags = tags }
            try await page.follow("limits.tags")
            #expect(page.shown.sent == ["limits.tags"], "\(tags)")
        }
        try await program.store.commit { try program.store.keys.removeValue(forKey: "limits.name") }
        try await page.follow("limits.name")
        #expect(page.shown.sent == ["limits.name"])
    }

    @Test("A secret that became another is sent with its new token, though it looks the same")
    func secretBecameAnother() async throws {
        let program = try await PanelProgram()
        var page = try await page(of: program)
        let before = page.shown["limits.token"]?.hidden.first { $0.0 == "token" }?.1
        try await program.store.commit { program.app.limits.token = Secret("second") }
        try await page.follow("limits.token")
        #expect(page.shown.sent == ["limits.token"])
        let after = page.shown["limits.token"]?.hidden.first { $0.0 == "token" }?.1
        #expect(before != after && after == program.store.history.token?.description)
    }

    @Test("What is sent after an event is not a conflict, and what is older is one")
    func sentAfterEvent() async throws {
        let program = try await PanelProgram()
        var page = try await page(of: program)
        let old = try #require(page.shown["limits.name"]).hidden
        try await program.store.commit { program.app.limits.name = "from outside" }
        try await page.follow("limits.name")
        let new = try #require(page.shown["limits.name"]).hidden
        #expect(await program.browser.post("/set", old + [("value", "mine")]).status == 409)
        #expect(await program.browser.post("/set", new + [("value", "mine")]).status == 303)
        #expect(program.app.limits.name == "mine")
    }

    @Test("The digest tells what a form shows, wherever it is from") func digestTellsForm() async throws {
        let program = try await PanelProgram()
        let key = "limits.count"
        func digest(_ text: String) throws -> String {
            let form = text.matches(of: /<form class="control".*?<\/form>/.dotMatchesNewlines())
                .first { $0.output.contains("data-key=\"\(key)\"") }
            return try #require(form.flatMap { HTMLNode(element: $0.output).attributes["data-digest"] })
        }
        let answer = await program.browser.change(key, [("value", "5")], on: "/pane?id=limits", asScript: true)
        #expect(answer.status == 200)
        let shown = try digest(answer.text)
        #expect(shown.count == 8)
        // Another token, and nothing else.
        try await program.store.commit { program.app.limits.name = "other" }
        for place in ["/pane?id=limits", "/search?q=most", "/form?key=\(key)"] {
            #expect(try digest(await program.browser.get(place).text) == shown)
        }
        let refused = await program.browser.change(key, [("value", "99")], on: "/pane?id=limits", asScript: true)
        #expect(refused.status == 422)
        #expect(try digest(refused.text) != shown)
        let page = await program.browser.change(key, [("value", "99")], on: "/pane?id=limits")
        #expect(try digest(page.text) == digest(refused.text))
        #expect(try page.eventsAddress.contains(digest(refused.text)))
    }

    @Test("A page that follows shows what the program does, whatever changes") func pageFollowsShows() async throws {
        let program = try await PanelProgram()
        var page = try await page(of: program)
        var generator = SeededGenerator()
        let limits = program.app.limits
        let texts = ["", "x", "<b>\"&'", "a\nb", "\r\n", "é", " ", "&amp;"]
        for _ in 0..<50 {
            let key = "limits.\(keys.randomElement(using: &generator) ?? "")"
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
            func text() -> String { texts.randomElement(using: &generator) ?? "" }
            try await program.store.commit {
                switch (key, number(0...9)) {
                case ("limits.isEnabled", _): limits.isEnabled.toggle()
                case ("limits.volume", _): limits.volume = Double(number(0...10)) / 10
                case ("limits.name", _): limits.name = text()
                case ("limits.nick", let kind): limits.nick = kind < 3 ? nil : text()
                case ("limits.level", _): limits.level = [.debug, .info, .error][number(0...2)]
                case ("limits.since", _): limits.since = Date(timeIntervalSince1970: Double(number(0...2_000_000)))
                case ("limits.timeout", _): limits.timeout = .seconds(number(0...100))
                case ("limits.data", _): limits.data = Data((0..<number(0...3)).map { UInt8($0) })
                case ("limits.tags", _): limits.tags = (0..<number(0...3)).map { _ in text() }
                case ("limits.ports", _): limits.ports = ["a": number(0...9), text(): number(0...9)]
                default: limits.token = Secret(text())
                }
                // So that something is sent in any case.
                limits.count = (limits.count + 1) % 20
            }
            try await page.follow("limits.count")
            #expect(page.shown.sent.count <= 2)
            for (_, form) in page.shown.forms {
                let id = try #require(form.attributes["id"])
                let key = try #require(form.attributes["data-key"])
                let now = await program.browser.get("/form?key=\(key)&control=\(id)")
                let expected = HTMLNode(element: now.text)
                // The token of a form is that of its last change.
                expected.set("token", form.hidden.first { $0.0 == "token" }?.1 ?? "")
                #expect(form.description == expected.description, "\(generator.seed): \(key)")
            }
        }
    }
}
