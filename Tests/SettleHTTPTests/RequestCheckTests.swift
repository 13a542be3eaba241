import Settle
import SettleHTTP
import Testing

@Suite(.timeLimit(.minutes(10))) struct RequestCheckTests {
    @Test("Sizes are limited in bytes") func sizesLimitedBytes() async throws {
        let program = try await APIProgram {
            ($0.bodySizeLimit, $0.targetSizeLimit, $0.headerSizeLimit) = (100, 50, 200)
        }
        #expect(program.api.bodySizeLimit == 100)
        let body = "\"\(String(repeating: "x", count: 99))\""
        #expect(await program.send("PATCH", "/settings/greeting", body).problem == "body-too-large")
        let target = "/settings/\(String(repeating: "x", count: 50))"
        #expect(await program.get(target).problem == "target-too-long")
        let field = ("X-Field", String(repeating: "x", count: 200))
        #expect(await program.get("/settings", field).problem == "header-too-large")
        #expect(await program.get("/settings").status == 200 && program.app.greeting == "Hello")
    }

    @Test(
        "A host that is not one is refused",
        arguments: ["x/../y", "a b", "localhost:http", "user@host", "[::1", "", "a,b"])
    func hostOneRefused(host: String) async throws {
        let program = try await APIProgram()
        let answer = await program.get("/settings", ("Host", host))
        #expect(answer.status == 400 && answer.problem == "invalid-request")
    }

    @Test(
        "A host with or without a port is accepted",
        arguments: ["localhost", "example.com:8080", "127.0.0.1:80", "[::1]", "[::1]:8080"])
    func hostWithoutPortAccepted(host: String) async throws {
        let program = try await APIProgram()
        #expect(await program.get("/settings", ("Host", host)).status == 200)
        #expect(await program.get("/settings", ("Host", host), ("host", host)).status == 400)
    }

    @Test("Only the names of the configuration are accepted") func onlyNamesConfigurationAccepted() async throws {
        let program = try await APIProgram { $0.hosts = ["service.example"] }
        #expect(await program.get("/settings", ("Host", "Service.Example:443")).status == 200)
        #expect(await program.get("/settings", ("Host", "localhost")).problem == "wrong-host")
    }

    @Test("Codings and lengths that would cut off a value are refused") func codingsLengthsWouldCut() async throws {
        let program = try await APIProgram()
        let body = "\"x\""
        for (name, value, status) in [
            ("Transfer-Encoding", "gzip, chunked", 501), ("Transfer-Encoding", "chunked, gzip", 400),
            ("Transfer-Encoding", "identity", 400), ("Transfer-Encoding", "chun ked", 400),
            ("Transfer-Encoding", ",", 400), ("Transfer-Encoding", "", 400), ("Transfer-Encoding", "chunked,", 400),
            ("Transfer-Encoding", ", chunked", 501), ("Content-Encoding", "gzip", 415),
            ("Content-Length", "9", 400), ("Content-Length", "-1", 400), ("Content-Length", "1, 1", 400),
        ] {
            let request = WebRequest(
                method: "PATCH", target: "/settings/greeting",
                headers: [("Authorization", "Bearer alice-0123456789abcdef"), (name, value)], body: Array(body.utf8))
            #expect(await program.api.respond(to: request).status == status, "\(name): \(value)")
        }
        #expect(program.app.greeting == "Hello")
        for value in ["chunked", " Chunked\t"] {
            let chunked = ("Transfer-Encoding", value)
            #expect(await program.send("PATCH", "/settings/greeting", body, chunked).status == 200)
        }
        // What the client accepts in answers says nothing about its body.
        #expect(await program.send("PATCH", "/settings/greeting", body, ("TE", "gzip, trailers")).status == 200)
    }

    @Test(
        "A method that a route does not have is refused with those that it has",
        arguments: [
            ("/settings", "GET, HEAD, OPTIONS, PATCH"), ("/settings/greeting", "DELETE, GET, HEAD, OPTIONS, PATCH"),
            ("/settings/history", "GET, HEAD, OPTIONS"), ("/settings/check", "OPTIONS, POST"),
            ("/settings/undo/x", "OPTIONS, POST"),
            ("/metrics", "GET, HEAD, OPTIONS"), ("/health/live", "GET, HEAD, OPTIONS"),
            ("/openapi.json", "GET, HEAD, OPTIONS"),
        ])
    func methodRouteDoesRefused(
        target: String, methods: String
    ) async throws {
        let program = try await APIProgram()
        let answer = await program.send("PUT", target)
        #expect(answer.status == 405 && answer.problem == "method-not-allowed" && answer.field("Allow") == methods)
        let options = await program.send("OPTIONS", target)
        #expect(options.status == 204 && options.field("Allow") == methods && options.text.isEmpty)
        let preface = await program.send("PRI", target)
        #expect(preface.status == 501 && preface.field("Allow") == methods)
        #expect(await program.send("OPTIONS", target, by: nil).status == 401)
    }

    @Test("A setting that has the name of a route is reached through the list") func settingCalledLikeRoute()
        async throws
    {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let api = SettingsAPI(store, groups: Awkward.self, configuration: .init(access: .open))
        func send(_ method: String, _ target: String, _ body: String) async -> Int {
            let request = WebRequest(
                method: method, target: target, headers: [("Host", "localhost")], body: Array(body.utf8))
            return await api.respond(to: request).status
        }
        #expect(await send("PATCH", "/settings/check", "5") == 405)
        #expect(await send("PATCH", "/settings", "{\"check\": 5}") == 200)
        #expect(await send("POST", "/settings/check", "{\"check\": 6}") == 200)
        #expect(store.keys["check"] == .integer(5))
    }

    private struct Awkward: SettingsGroup {
        @Setting var check = 1
    }

    @Test("Each response has the identifier of its request") func eachResponseIdentifierRequest() async throws {
        let program = try await APIProgram()
        let own = await program.get("/settings", ("X-Request-ID", "abc-1.2_3"))
        #expect(own.field("X-Request-ID") == "abc-1.2_3")
        for text in ["a b", String(repeating: "x", count: 129), "a\u{e9}", ""] {
            let answer = await program.get("/settings", ("X-Request-ID", text))
            #expect(answer.field("X-Request-ID")?.utf8.count == 32, "\(text)")
        }
        let one = await program.get("/nothing")
        #expect(one.string("requestId") == one.field("X-Request-ID"))
    }

    @Test("A method and a path can't forge a line of a log") func methodPathCantForge() async throws {
        let log = AccessLog()
        let program = try await APIProgram { $0.accessLog = { log.add($0) } }
        _ = await program.send("G\r\nET\u{301}\(String(repeating: "e\u{301}", count: 20))", "/a\u{2028}b\nc d")
        let entry = try #require(log.all.first)
        #expect(entry.method == "G??ET??e??e??e??e??e" && entry.path == "/a???b?c?d")
    }

    @Test("The access log has each request, without its query") func accessLogEachRequest() async throws {
        let log = AccessLog()
        let program = try await APIProgram { $0.accessLog = { log.add($0) } }
        _ = await program.get("/settings/greeting?explain=true", ("X-Request-ID", "one"))
        _ = await program.get("/nothing", by: nil)
        let entries = log.all
        #expect(entries.count == 2)
        let first = try #require(entries.first)
        #expect(first.method == "GET" && first.path == "/settings/greeting" && first.route == "/settings/{key}")
        #expect(first.status == 200 && first.client == "alice" && first.requestID == "one" && (first.size ?? 0) > 0)
        #expect(entries.last?.status == 404 && entries.last?.client == nil && entries.last?.route == nil)
        #expect(entries.allSatisfy { $0.failure == nil })
    }
}
