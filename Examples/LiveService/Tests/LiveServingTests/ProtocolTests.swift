import LiveServing
import ServiceLifecycle
import Settle
import SettleTesting
import Testing

/// What HTTP says about messages and connections.
@Suite(.timeLimit(.minutes(10))) struct ProtocolTests {
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
    func headRequest(path: String) async throws {
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

    @Test("An old client gets an answer that ends with the connection") func oldClient() async throws {
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
                // A stream that has not begun when the service stops sends nothing.
                try await connection.receive(until: "data: ")
                await service.group.triggerGracefulShutdown()
                #expect(await connection.rest().hasPrefix("event: covered\ndata: "))
            }
        }
    }

    @Test("Other methods get 405, and OPTIONS says which there are") func otherMethods() async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                for method in ["POST", "PUT", "DELETE"] {
                    try await connection.send(Self.request("\(method) /hello", "Content-Length: 0\r\n"))
                    let response = try await connection.response()
                    #expect(response.status == 405)
                    #expect(response.header("Allow") == "GET, HEAD, OPTIONS")
                    #expect(response.detail == "This endpoint is read-only.")
                }
                try await connection.send(Self.request("OPTIONS /hello") + Self.request("POST /nowhere"))
                let options = try await connection.response()
                #expect(options.status == 204)
                #expect(options.header("Allow") == "GET, HEAD, OPTIONS")
                #expect(try await connection.response().detail == "There is no such endpoint.")
            }
        }
    }

    @Test("A client that waits is asked for its body") func clientThatWaits() async throws {
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
        }
    }

    /// Each is refused with a sentence, and closes the connection: nothing after it can be told from its own bytes.
    @Test(
        "What is not HTTP is refused with a sentence",
        arguments: [
            "\u{16}\u{3}\u{1}\u{2}\r\n\r\n", "GET /hello HTTP/1.1\r\n\r\n", request("GET /hello", "Host: other\r\n"),
            request("GET /hello", "Name : value\r\n"),
            admin(patch, "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            admin(patch, "Content-Length: 1\r\nContent-Length: 2\r\n", "12"),
            admin(patch, "Content-Length: -1\r\n"), admin(patch, "Transfer-Encoding: chunked\r\n", "nonsense\r\n"),
            request("GET /\(String(repeating: "a", count: 90_000))"),
            request("GET /hello", "Name: \(String(repeating: "a", count: 40_000))\r\n"),
            request("GET /hello", String(repeating: "Name: value\r\n", count: 200)),
            request("FROBNICATE /hello"), "GET /hello HTTP/2.0\r\nHost: localhost\r\n\r\n",
        ])
    func whatIsNotHTTPIsRefusedWithASentence(bytes: String) async throws {
        try await TestService.with { service async throws in
            try await RawConnection.with(port: service.port) { connection async throws in
                try await connection.send(Self.request("GET /hello"))
                #expect(try await connection.response().status == 200)
                try await connection.send(bytes)
                let response = try await connection.response()
                #expect(response.status == 400)
                #expect(response.detail?.hasSuffix(".") == true)
                #expect(response.header("Connection") == "close")
                #expect(await connection.rest() == "")
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test("What came before is answered before") func answerOrder() async throws {
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
            "GET /hello HTTP/1.0\r\n\r\n",
            request("GET /hello", "Host: other\r\n"), request("GET /hello", "Name : value\r\n"),
        ])
    func afterLastRequest(last: String) async throws {
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
    func unfinishedBody(byReset: Bool) async throws {
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
            try await eventually("the connection has ended") {
                try await service.send(.get("/metrics")).text.contains("\nhttp_connections 1\n")
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test("A body that is too large gets the API's problem") func largeBody() async throws {
        try await TestService.with { service async throws in
            let body = String(repeating: "1", count: (64 << 10) + 1)
            let refused = try await service.send(.admin(.patch, "/settings/limits.burst", body))
            #expect(refused.status == 413 && refused.header("Content-Type") == "application/problem+json")
            #expect(try refused.json()["type"] == .string("urn:settle:problem:body-too-large"))
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test("A client that has closed its side gets its answers") func halfClosed() async throws {
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
}
