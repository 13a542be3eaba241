import LiveServing
import ServiceLifecycle
import Settle
import SettleTesting
import Testing

/// What HTTP says about messages and connections.
@Suite(.timeLimit(.minutes(10)))
struct ProtocolTests {
    private static let authorization = "Authorization: Bearer \(TestRequest.token)\r\n"

    private static let patch = "PATCH /settings/limits.burst"

    /// A request with a host and further lines, which end with line breaks.
    private static func request(_ line: String, _ headers: String = "", _ body: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\(body)"
    }

    private static func admin(_ line: String, _ headers: String = "", _ body: String = "") -> String {
        request(line, authorization + headers, body)
    }

    @Test(
        "HEAD has the headers of GET and no body",
        arguments: ["/hello", "/settings", "/nowhere", "/settings/nothing", "/metrics"])
    func headHasTheHeadersOfGetAndNoBody(path: String) async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.admin("HEAD \(path)") + Self.admin("GET \(path)"))
                let head = try await connection.response(hasBody: false)
                // If the first response had a body, this one would begin with it.
                let get = try await connection.response()
                #expect(head.status == get.status)
                #expect(head.headers.map(\.name) == get.headers.map(\.name))
                if path != "/metrics" { #expect(head.header("Content-Length") == get.header("Content-Length")) }
                #expect(!get.text.isEmpty)
            }
        }
    }

    @Test("HEAD of a stream ends at once") func headOfAStreamEndsAtOnce() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.admin("HEAD /settings/changes"))
                let head = try await connection.response(hasBody: false)
                #expect(head.status == 200)
                #expect(head.header("Content-Type") == "text/event-stream; charset=utf-8")
                #expect(head.header("Content-Length") == nil)
                #expect(await connection.rest() == "")
            }
        }
    }

    @Test("An old client gets an answer that ends with the connection")
    func anOldClientGetsAnAnswerThatEndsWithTheConnection() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send("GET /hello HTTP/1.0\r\n\r\n")
                let response = try await connection.response()
                #expect(response.status == 200)
                #expect(response.header("Connection") == "close")
                #expect(await connection.rest() == "")
            }
            try await RawConnection.with(port: service.port) { connection async throws in
                for _ in 0..<2 {
                    try await connection.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    #expect(try await connection.response().header("Connection") == "keep-alive")
                }
            }
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send("GET /settings/changes HTTP/1.0\r\n\(Self.authorization)\r\n")
                #expect(try await connection.response().header("Transfer-Encoding") == nil)
                await service.group.triggerGracefulShutdown()
                #expect(await connection.rest().hasPrefix("event: covered\ndata: "))
            }
        }
    }

    @Test(
        "Other methods get 405 and OPTIONS tells which there are",
        arguments: [
            ("/hello", "GET, HEAD, OPTIONS"), ("/settings", "GET, HEAD, OPTIONS, PATCH"),
            ("/settings/limits.burst", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ])
    func otherMethodsGet405AndOptionsTellsWhichThereAre(path: String, allow: String) async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                for method in ["POST", "PUT", "TRACE", "PROPFIND"] {
                    try await connection.send(Self.admin("\(method) \(path)", "Content-Length: 0\r\n"))
                    let response = try await connection.response()
                    #expect(response.status == 405)
                    #expect(response.header("Allow") == allow)
                    #expect(response.error == "This endpoint has \(allow).")
                }
                try await connection.send(Self.request("OPTIONS \(path)"))
                let options = try await connection.response()
                #expect(options.status == 204)
                #expect(options.header("Allow") == allow)
                try await connection.send(Self.request("OPTIONS *") + Self.request("POST /nowhere"))
                #expect(try await connection.response().header("Allow") == "DELETE, GET, HEAD, OPTIONS, PATCH, POST")
                #expect(try await connection.response().status == 404)
            }
        }
    }

    @Test("Names in paths may be percent-encoded") func namesInPathsMayBePercentEncoded() async throws {
        try await TestService.with { service async throws in
            service.settings.features.enabled = ["loud"]
            for path in ["/settings/limits%2EperSecond", "/settings/%6Cimits.per%53econd"] {
                #expect(try await service.send(.admin(.get, path)).json()["key"] == .string("limits.perSecond"))
            }
            #expect(try await service.send(.get("/features/l%6Fud")).json()["isOn"] == .bool(true))
            #expect(try await service.send(.get("/features/%C3%BC")).json()["name"] == .string("ü"))
            #expect(try await service.send(.admin(.get, "/settings/%F0%9F%98%80")).error?.contains("“😀”") == true)
            for path in ["/settings/%", "/settings/%2", "/settings/%zz", "/settings/%FF", "/features/%C3"] {
                #expect(try await service.send(.admin(.get, path)).status == 400)
            }
        }
    }

    @Test("A client that waits is asked for its body only if it is wanted")
    func aClientThatWaitsIsAskedForItsBodyOnlyIfItIsWanted() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                for burst in [7, 8] {
                    try await connection.send(Self.admin(Self.patch, "Expect: 100-continue\r\nContent-Length: 1\r\n"))
                    #expect(try await connection.response(hasBody: false).status == 100)
                    try await connection.send("\(burst)")
                    #expect(try await connection.response().status == 200)
                    #expect(service.settings.limits.burst == burst)
                }
            }
            for (status, request) in [
                (401, Self.request(Self.patch, "Expect: 100-continue\r\nContent-Length: 1\r\n")),
                (413, Self.admin(Self.patch, "Expect: 100-continue\r\nContent-Length: 65537\r\n")),
                (417, Self.admin(Self.patch, "Expect: magic\r\nContent-Length: 1\r\n")),
            ] {
                try await RawConnection.with(port: service.port) { connection async throws in
                    try await connection.send(request)
                    let response = try await connection.response()
                    #expect(response.status == status)
                    #expect(response.header("Connection") == "close")
                    #expect(await connection.rest() == "")
                }
            }
        }
    }

    /// Each is refused with a sentence, and closes the connection: nothing after it can be told from its own bytes.
    @Test(
        "What is not HTTP is refused with a sentence",
        arguments: [
            (400, "\u{16}\u{3}\u{1}\u{2}\r\n\r\n"),
            (400, "GET /hello HTTP/1.1\r\n\r\n"),
            (400, request("GET /hello", "Host: other\r\n")),
            (400, request("GET /hello", "Name : value\r\n")),
            (400, admin(patch, "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
            (400, admin(patch, "Content-Length: 1\r\nContent-Length: 2\r\n", "12")),
            (400, admin(patch, "Content-Length: 1\r\nContent-Length: 1\r\n", "1")),
            (400, admin(patch, "Content-Length: -1\r\n")),
            (400, admin(patch, "Transfer-Encoding: chunked\r\n", "nonsense\r\n")),
            (400, admin(patch, "Transfer-Encoding: identity\r\n", "1")),
            (413, admin(patch, "Content-Length: 65537\r\n", "1")),
            (414, request("GET /\(String(repeating: "a", count: 9_000))")),
            (414, request("GET /\(String(repeating: "a", count: 90_000))")),
            (431, request("GET /hello", "Name: \(String(repeating: "a", count: 40_000))\r\n")),
            (431, request("GET /hello", String(repeating: "Name: value\r\n", count: 200))),
            (501, request("FROBNICATE /hello")),
            (505, "GET /hello HTTP/2.0\r\nHost: localhost\r\n\r\n"),
        ])
    func whatIsNotHTTPIsRefusedWithASentence(status: Int, bytes: String) async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.request("GET /hello"))
                #expect(try await connection.response().status == 200)
                try await connection.send(bytes)
                let response = try await connection.response()
                #expect(response.status == status)
                #expect(response.error?.hasSuffix(".") == true)
                #expect(response.header("Content-Type") == "application/json; charset=utf-8")
                #expect(response.header("Connection") == "close")
                #expect(await connection.rest() == "")
            }
            #expect(service.settings.limits.$burst.isDefault)
            let metrics = try await service.send(.get("/metrics")).text
            #expect(metrics.contains("status=\"\(status)\"} 1\n"))
            #expect(!metrics.contains("status=\"500\""))
        }
    }

    @Test("What came before is answered before") func whatCameBeforeIsAnsweredBefore() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                let requests = Self.request("GET /hello") + Self.request("GET /features/a")
                try await connection.send(requests + "nonsense\r\n\r\n")
                #expect(try await connection.response().status == 200)
                #expect(try await connection.response().status == 200)
                #expect(try await connection.response().status == 400)
                #expect(await connection.rest() == "")
            }
        }
    }

    @Test(
        "What comes after the last request is not taken",
        arguments: [
            request("GET /hello", "Connection: close\r\n"),
            request("GET /hello", "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
            "GET /hello HTTP/1.0\r\n\r\n", request("GET /hello", "Expect: 100-continue\r\n"),
            request("GET /hello", "Host: other\r\n"), request("GET /hello", "Name : value\r\n"),
        ])
    func whatComesAfterTheLastRequestIsNotTaken(last: String) async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.request("GET /hello"))
                #expect(try await connection.response().status == 200)
                try await connection.send(last + Self.admin(Self.patch, "Content-Length: 1\r\n", "7"))
                #expect(try await connection.response().header("Connection") == "close")
                #expect(await connection.rest() == "")
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test("A client that leaves in the middle of a body changes nothing", arguments: [true, false])
    func aClientThatLeavesInTheMiddleOfABodyChangesNothing(byReset: Bool) async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                let headers = "Content-Length: 3\r\nExpect: 100-continue\r\n"
                try await connection.send(Self.admin(Self.patch, headers))
                // From here on, the service is waiting for the body.
                #expect(try await connection.response(hasBody: false).status == 100)
                try await connection.send("10")
                if byReset { try await connection.reset() } else { connection.closeOutput() }
                _ = await connection.rest()
            }
            let line = "http_requests_total{method=\"PATCH\",route=\"/settings/{key}\",status=\"499\"} 1\n"
            try await eventually("the request is counted with status 499") {
                try await service.send(.get("/metrics")).text.contains(line)
            }
            #expect(service.settings.limits.$burst.isDefault)
            #expect(try await !service.send(.get("/metrics")).text.contains("status=\"500\""))
        }
    }

    @Test("A client that has closed its side gets its answers")
    func aClientThatHasClosedItsSideGetsItsAnswers() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.request("GET /hello") + Self.request("GET /features/a"))
                connection.closeOutput()
                #expect(try await connection.response().status == 200)
                #expect(try await connection.response().json()["name"] == .string("a"))
                #expect(await connection.rest() == "")
            }
        }
    }

    /// The parser takes nothing after such a request, so what follows would never be answered.
    @Test("A request to switch protocols is the last one") func aRequestToSwitchProtocolsIsTheLastOne() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.request("GET /hello", "Connection: Upgrade\r\nUpgrade: h2c\r\n"))
                let response = try await connection.response()
                #expect(response.status == 200)
                #expect(response.header("Connection") == "close")
                #expect(await connection.rest() == "")
            }
        }
    }
}
