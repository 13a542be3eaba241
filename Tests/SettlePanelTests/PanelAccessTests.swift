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

/// Who may see and change settings.
@Suite(.timeLimit(.minutes(10))) struct PanelAccessTests {
    private func program(
        _ configure: (inout SettingsPanel.Configuration) -> Void = { _ in }
    ) async throws -> PanelProgram {
        try await PanelProgram(access: .sessions(PanelKey(), TestAuthentication()), configure: configure)
    }

    @Test("Without a session nothing is shown and nothing changes") func withoutSessionNothing() async throws {
        let program = try await program()
        for place in [
            "/", "/pane?id=limits", "/search?q=count", "/search?changed=1", "/json?pane=limits",
            "/why?key=limits.count", "/reset", "/events", "/image?name=x",
        ] {
            let answer = await program.browser.get(place)
            #expect(answer.status == 401, "\(place)")
            #expect(!answer.text.contains("Most attempts") && !answer.text.contains("limits"), "\(place)")
        }
        for place in ["/set", "/reset", "/undo"] {
            let answer = await program.browser.post(place, [("key", "limits.count"), ("value", "9"), ("form", "")])
            #expect(answer.status == 401, "\(place)")
        }
        #expect(program.app.limits.count == 3)
    }

    @Test("A link is not spent by looking at it, and lets in once") func linkSpentLooking() async throws {
        let program = try await program()
        let link = program.panel.makeLink()
        let secret = String(link.split(separator: "=").last ?? "")
        for _ in 0..<3 {
            let page = await program.browser.get(link)
            #expect(page.status == 200 && page.field("Set-Cookie") == nil)
        }
        let entered = await program.browser.post("/enter", [("link", secret)])
        #expect(entered.status == 303)
        let cookie = try #require(entered.field("Set-Cookie"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/;"))
        #expect(await program.browser.get("/").status == 200)
        let other = PanelBrowser(program.panel)
        #expect(await other.get(link).status == 401)
        #expect(await other.post("/enter", [("link", secret)]).status == 401)
        #expect(await other.get("/").status == 401)
    }

    @Test("Links end by themselves, and so do sessions that nobody uses") func linksEndThemselves() async throws {
        let program = try await program {
            $0.linkLifetime = .seconds(60); $0.sessionLifetime = .seconds(1000)
        }
        let link = program.panel.makeLink()
        program.time.pass(61)
        #expect(await program.browser.get(link).status == 401)
        #expect(await program.browser.enter().status == 303)
        // Used in its second half, it is renewed.
        program.time.pass(600)
        #expect(await program.browser.get("/").field("Set-Cookie") != nil)
        program.time.pass(600)
        #expect(await program.browser.get("/").status == 200)
        program.time.pass(1001)
        #expect(await program.browser.get("/").status == 401)
    }

    @Test("A changed cookie is no session") func changedCookieSession() async throws {
        let program = try await program()
        _ = await program.browser.enter()
        let cookie = try #require(program.browser.cookie)
        let parts = cookie.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let end = try #require(Int(parts[1]))
        for forged in [
            "\(parts[0]).\(end + 1).\(parts[2])", "\(parts[0])0.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).",
            "\(parts[0]).\(parts[1])", "", "..", cookie.uppercased(),
        ] {
            program.browser.setCookie(forged)
            #expect(await program.browser.get("/").status == 401, "\(forged)")
        }
        program.browser.setCookie(cookie)
        #expect(await program.browser.get("/").status == 200)
    }

    @Test("A session outlives the program by its key's file, and no other key knows it")
    func sessionOutlivesProgram() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "state/key")
        let first = try await PanelProgram(access: .sessions(PanelKey(file: file), TestAuthentication()))
        _ = await first.browser.enter()
        let cookie = try #require(first.browser.cookie)
        let again = try await PanelProgram(access: .sessions(PanelKey(file: file), TestAuthentication()))
        again.browser.setCookie(cookie, named: first.browser.cookieName)
        #expect(await again.browser.get("/").status == 200)
        let other = try await program()
        _ = await other.browser.enter()
        #expect(await other.browser.get("/").status == 200)
        other.browser.setCookie(cookie)
        #expect(await other.browser.get("/").status == 401)
    }

    @Test("Panels of different keys on one machine, whose cookies know no ports, don't end each other's sessions")
    func panelsDifferentKeys()
        async throws
    {
        let (first, second) = (try await program(), try await program())
        let browsers = (first.browser, second.browser)
        _ = await browsers.0.enter()
        _ = await browsers.1.enter()
        let names = (try #require(browsers.0.cookieName), try #require(browsers.1.cookieName))
        #expect(names.0 != names.1)
        // A browser sends both to both.
        browsers.0.setCookie(try #require(browsers.1.cookie), named: names.1)
        #expect(await browsers.0.get("/").status == 200)
    }

    @Test("A form of another session, or without a token, changes nothing") func formAnotherSession() async throws {
        let program = try await program()
        _ = await program.browser.enter()
        let page = await program.browser.get("/pane?id=limits")
        let form = page.form(of: "limits.count")
        #expect(form.contains { $0.0 == "form" && $0.1.count >= 32 })
        let other = PanelBrowser(program.panel)
        _ = await other.enter()
        #expect(await other.post("/set", form + [("value", "9")]).status == 403)
        #expect(await program.browser.post("/set", form.filter { $0.0 != "form" } + [("value", "9")]).status == 403)
        #expect(program.app.limits.count == 3)
        #expect(await program.browser.post("/set", form + [("value", "9")]).status == 303)
        #expect(program.app.limits.count == 9)
    }

    @Test(
        "A change from a page of another site is refused",
        arguments: [
            [("Origin", "http://evil.example")], [("Origin", "null")], [("Origin", "http://localhost:9999")], [],
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "none")],
            [("Origin", "http://localhost:8080"), ("Sec-Fetch-Site", "cross-site")],
            [("Origin", "http://localhost:8080"), ("Origin", "http://evil.example")],
        ])
    func changePageAnother(headers: [(String, String)]) async throws {
        let program = try await PanelProgram()
        let form = await program.browser.get("/pane?id=limits").form(of: "limits.count")
        let answer = await program.browser.post(
            "/set", form + [("value", "9")], headers.map { (name: $0.0, value: $0.1) })
        #expect(answer.status == 403)
        #expect(program.app.limits.count == 3)
    }

    @Test(
        "Another name of this machine is refused, also if the origin has it",
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "localhost:0", "localhost:x", "", "[::1",
        ])
    func anotherNameThis(host: String) async throws {
        let program = try await PanelProgram()
        #expect(await program.browser.get("/", [("Host", host)]).status == 421)
        let form = await program.browser.get("/pane?id=limits").form(of: "limits.count")
        let answer = await program.browser.post(
            "/set", form + [("value", "9")], [("Host", host), ("Origin", "http://\(host)")])
        #expect(answer.status == 421)
        #expect(program.app.limits.count == 3)
    }

    @Test(
        "The names of the loopback are let in, with any port",
        arguments: ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]", "[::1]:80"])
    func namesLoopbackLet(host: String) async throws {
        let program = try await PanelProgram()
        #expect(await program.browser.get("/", [("Host", host)]).status == 200)
    }

    @Test("A page of another site can't put the panel into a frame or an image, but can link to it")
    func pageAnotherSite() async throws {
        let program = try await PanelProgram()
        func status(_ mode: String, _ destination: String) async -> Int {
            await program.browser.get(
                "/",
                [
                    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination),
                ]
            ).status
        }
        #expect(await status("navigate", "iframe") == 403)
        #expect(await status("no-cors", "image") == 403)
        #expect(await status("cors", "empty") == 403)
        #expect(await status("navigate", "document") == 200)
    }

    @Test("Every answer forbids scripts in pages, frames, and guessing of types")
    func everyAnswerForbids() async throws {
        let program = try await program()
        for place in ["/", "/style.css", "/script.js", "/enter", "/nothing", "/icon"] {
            let answer = await program.browser.get(place)
            let policy = try #require(answer.field("Content-Security-Policy"), "\(place)")
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(answer.field("X-Content-Type-Options") == "nosniff")
            #expect(answer.field("Referrer-Policy") == "same-origin")
        }
    }

    @Test(
        "The way back leads to a page of the same origin only",
        arguments: [
            ("//evil.example", false), ("/\\evil.example", false), ("https://evil.example/", false),
            ("javascript:x", false),
            ("/a\tb", false), ("/a b", false), ("", false), ("evil", false), ("/admin?x=1#y", true), ("/", true),
        ])
    func wayBackLeads(place: String, isAllowed: Bool) async throws {
        let program = try await PanelProgram()
        let encoded = place.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let page = await program.browser.get("/?return=\(encoded)").text
        #expect(page.contains("class=\"back\"") == isAllowed)
        #expect(page.contains("evil.example") == false)
    }

    @Test("Large bodies and other methods are refused") func largeBodiesOther() async throws {
        let program = try await PanelProgram()
        let large = [UInt8](repeating: UInt8(ascii: "&"), count: SettingsPanel.bodyLimit + 1)
        let headers = [(name: "Origin", value: "http://localhost:8080")]
        #expect(await program.browser.send("POST", "/set", headers, large).status == 413)
        #expect(await program.browser.send("PUT", "/set", headers, []).status == 405)
        #expect(await program.browser.send("POST", "/set", headers, Array(large.dropLast())).status == 404)
    }

    @Test("A body that was cut on its way changes nothing") func bodyCutWay() async throws {
        let program = try await PanelProgram()
        let body = Array("key=limits.tags&part=a".utf8)
        let headers = [
            (name: "Origin", value: "http://localhost:8080"), (name: "Content-Length", value: "\(body.count + 7)"),
        ]
        #expect(await program.browser.send("POST", "/set", headers, body).status == 413)
        #expect(program.app.limits.tags == [])
        let whole = [headers[0], (name: "Content-Length", value: "\(body.count)")]
        #expect(await program.browser.send("POST", "/set", whole, body).status == 303)
        #expect(program.app.limits.tags == ["a"])
    }
}

/// The key that signs sessions.
@Suite(.timeLimit(.minutes(10))) struct PanelKeyTests {
    @Test("A key is made once, for its user alone") func keyMadeOnce() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "deep/key")
        _ = try PanelKey(file: file)
        let bytes = try Data(contentsOf: file)
        #expect(bytes.count == 32)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        _ = try PanelKey(file: file)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == ["key"])
    }

    @Test("A key that others may read, a short one and a folder are refused, and left alone")
    func keyOthersMay() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "key")
        try Data(repeating: 7, count: 32).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: PanelError.self) { try PanelKey(file: file) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        _ = try PanelKey(file: file)
        for size in [0, 31, 33, 1000] {
            try Data(repeating: 7, count: size).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let error = #expect(throws: PanelError.self, "\(size)") { try PanelKey(file: file) }
            #expect(error?.description.contains(file.path) == true)
            #expect(try Data(contentsOf: file).count == size)
        }
        #expect(throws: PanelError.self) { try PanelKey(file: folder.url) }
    }

    @Test("A key is not shown") func keyShown() {
        #expect("\(PanelKey())" == "PanelKey")
    }
}
