import HTTPTypes
import Hummingbird
import NIOHTTP1
import Settle
import SettleTesting
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10)))
struct OpenAPITests {
    @Test("The document has every route of the router and no other")
    func theDocumentHasEveryRouteOfTheRouterAndNoOther() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let service = try await LiveService(LiveService.Parts(store: store))
        let routes = service.router().routes
        try await TestService.with { service async throws in
            let document = try await service.send(.get("/openapi.json")).json()
            let described = (document["paths"] ?? .null).names.flatMap { path in
                (document["paths"]?.member(.string(path)) ?? .null).names.map { "\($0.uppercased()) \(path)" }
            }
            #expect(Set(described) == routes)
            #expect(routes.count == 17)
        }
    }

    @Test("The document has every setting with its rule") func theDocumentHasEverySettingWithItsRule() async throws {
        try await TestService.with { service async throws in
            let document = try await service.send(.get("/openapi.json")).json()
            let settings = schema("Settings", of: document)?.member(.string("properties"))
            #expect(Set(settings?.names ?? []) == Set(service.store.settings.map(\.key)))
            let burst = settings?.member(.string("limits.burst"))
            #expect(burst?.member(.string("maximum")) == .integer(100_000))
            #expect(burst?.member(.string("default")) == .integer(1_000))
            let format = settings?.member(.string("logging.format"))
            #expect(format?.member(.string("enum")) == .array([.string("text"), .string("json")]))
            let token = settings?.member(.string("admin.token"))
            #expect(token?.member(.string("writeOnly")) == .bool(true))
            #expect(token?.member(.string("default")) == nil)
            for setting in service.store.settings where !setting.isSecret {
                let value = SettingValue.dictionary([setting.key: setting.value ?? .null])
                let settings = try #require(schema("Settings", of: document))
                #expect(SchemaCheck(document: document).mistakes(in: value, against: settings) == [])
            }
        }
    }

    /// Each documented endpoint is called in the ways below, and answers with a documented status and body.
    @Test("Every endpoint answers as documented") func everyEndpointAnswersAsDocumented() async throws {
        let configuration = SettingsStore.Configuration(history: .keep())
        try await TestService.with(configuration: configuration, clock: ContinuousClock()) { service async throws in
            let document = try await service.send(.get("/openapi.json")).json()
            for endpoint in service.endpoints where endpoint.operation.path != "/settings/changes" {
                try await service.store.commit { service.settings.limits.perSecond = .random(in: 1_000...2_000) }
                let token = try #require(service.store.history.token)
                for request in Self.requests(for: endpoint.operation, token) {
                    let answer = try await service.send(request)
                    #expect(mistakes(in: answer, to: endpoint.operation, document) == [], "\(request): \(answer)")
                    let isUsual = request.headers.isEmpty == (endpoint.operation.access != .admin)
                    let isRepeated = endpoint.operation.path == "/settings/undo/{token}" && request.path.contains("?")
                    if isUsual, request.body != "[1", !isRepeated {
                        #expect(answer.status == 200, "\(request): \(answer)")
                    }
                }
            }
        }
    }

    @Test("Every refusal is as documented") func everyRefusalIsAsDocumented() async throws {
        let storage = FailingStorage()
        try await TestService.with(storage: storage) { service async throws in
            let document = try await service.send(.get("/openapi.json")).json()
            func check(_ request: TestRequest, _ path: String, is status: Int) async throws {
                let answer = try await service.send(request)
                #expect(answer.status == status)
                let operation = service.endpoints.map(\.operation).first {
                    $0.path == path && $0.method.rawValue == request.method.rawValue
                }
                #expect(mistakes(in: answer, to: try #require(operation), document) == [], "\(request): \(answer)")
            }
            try await service.store.flush()
            storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
            try await check(.admin(.patch, "/settings/limits.burst", "7"), "/settings/{key}", is: 503)
            storage.heal()
            let large = "\"" + String(repeating: "x", count: 70_000) + "\""
            try await check(.admin(.patch, "/settings", large), "/settings", is: 413)
            try await check(.admin(.patch, "/settings/limits.burst", "0"), "/settings/{key}", is: 422)
            try await check(.admin(.delete, "/settings/limits.speed"), "/settings/{key}", is: 404)
            var old = TestRequest.admin(.delete, "/settings/limits.burst")
            old.headers.append(("If-Match", "\"1\""))
            try await check(old, "/settings/{key}", is: 412)
            let token = try #require(service.store.history.token)
            try await service.store.commit { service.settings.limits.perSecond = 2_000 }
            let late = TestRequest.admin(.patch, "/settings", ifMatch: "\"\(token)\"", "{}")
            try await check(late, "/settings", is: 412)
            try await check(.admin(.post, "/settings/undo/x"), "/settings/undo/{token}", is: 404)
            try await check(.admin(.get, "/settings/history"), "/settings/history", is: 404)
            try await check(.get("/slow"), "/slow", is: 400)
            service.settings.limits.burst = 1
            _ = try await service.send(.get("/hello"))
            try await check(.get("/hello"), "/hello", is: 429)
            service.settings.maintenance.isOn = true
            try await check(.get("/hello"), "/hello", is: 503)
            try await check(.get("/health/ready"), "/health/ready", is: 503)
            service.settings.admin.token = Secret("")
            try await check(.get("/settings/changes"), "/settings/changes", is: 403)
        }
    }

    @Test("The events are of the documented type") func theEventsAreOfTheDocumentedType() async throws {
        try await TestService.with { service async throws in
            try await TestConnection.with(port: service.port) { connection in
                let head = try await connection.begin(.admin(.get, "/settings/changes"))
                #expect(head.status.code == 200)
                #expect(head.headers.first(name: "Content-Type") == "text/event-stream; charset=utf-8")
            }
        }
    }

    @Test("The events have documented data") func theEventsHaveDocumentedData() async throws {
        let source = ManualDomainSource()
        let list: SearchList = [.source("switches", source), .application]
        try await TestService.with(searching: list) { service async throws in
            let document = try await service.send(.get("/openapi.json")).json()
            try await service.withEvents { events async throws in
                var names: Set<String> = []
                func check(_ event: TestEvent?) throws {
                    let name = try #require(event?.name)
                    let wanted = try #require(
                        self.schema(name.prefix(1).uppercased() + name.dropFirst() + "Event", of: document))
                    let data = SettingValue.dictionary(try event?.data() ?? [:])
                    #expect(SchemaCheck(document: document).mistakes(in: data, against: wanted) == [], "\(data)")
                    names.insert(name)
                }
                try check(try await events.next())
                try check(try await events.next())
                try service.store.update(author: "ops") {
                    service.settings.limits.burst = 7
                    service.settings.admin.tokens = Secret(["ops": "a-token-of-ops-nobody-may-see"])
                }
                try check(try await events.next())
                source.set(SettingTree(["limits": .dictionary(["burst": .integer(5)])]))
                try check(try await events.next())
                #expect(names == ["covered", "snapshot", "change"])
            }
        }
    }

    /// The check itself must find what is wrong.
    @Test(
        "An answer of another shape is found",
        arguments: [
            "{\"error\":1}", "{\"error\":\"a\",\"more\":1}", "{}", "[]", "null",
        ])
    func anAnswerOfAnotherShapeIsFound(text: String) async throws {
        try await TestService.with { service async throws in
            let document = try await service.send(.get("/openapi.json")).json()
            let operation = try #require(service.endpoints.first { $0.operation.path == "/slow" }?.operation)
            let json = [("Content-Type", "application/json")]
            let wrong = TestResponse(status: 400, headers: json, text: text)
            #expect(mistakes(in: wrong, to: operation, document) != [])
            let right = TestResponse(status: 400, headers: json, text: "{\"error\":\"a\"}")
            #expect(mistakes(in: right, to: operation, document) == [])
            let unknown = TestResponse(status: 418, headers: json, text: "{\"error\":\"a\"}")
            #expect(mistakes(in: unknown, to: operation, document) != [])
            let plain = TestResponse(status: 400, headers: [("Content-Type", "text/plain")], text: "{\"error\":\"a\"}")
            #expect(mistakes(in: plain, to: operation, document) != [])
        }
    }

    private static func requests(for operation: Operation, _ token: ChangeToken) -> [TestRequest] {
        let path =
            operation.path.replacing("{key}", with: "limits.burst").replacing("{name}", with: "loud")
            .replacing("{token}", with: "\(token)")
            + (operation.path == "/slow" ? "?ms=1" : "")
        var request = TestRequest.get(path)
        request.method = TestRequest.Method(rawValue: operation.method.rawValue) ?? .get
        guard operation.access == .admin else { return [request] }
        request.body = operation.body == nil ? "" : operation.path == "/settings" ? "{\"limits.burst\": 7}" : "7"
        var (allowed, broken) = (request, request)
        allowed.headers = [("Authorization", "Bearer \(TestRequest.token)")]
        broken.headers = allowed.headers
        broken.body = "[1"
        var dry = allowed
        dry.path += "?dryRun=true"
        return [request, allowed, dry] + (operation.body == nil ? [] : [broken])
    }

    private func mistakes(
        in answer: TestResponse, to operation: Operation, _ document: SettingValue.Entries
    ) -> [String] {
        let entry = ["paths", operation.path, operation.method.rawValue.lowercased(), "responses", "\(answer.status)"]
            .reduce(SettingValue.dictionary(document)) { $0.member(.string($1)) ?? .null }
        let type = answer.header("Content-Type")?.split(separator: ";").first.map(String.init) ?? ""
        guard let content = entry.member(.string("content"))?.member(.string(type)),
            let schema = content.member(.string("schema"))
        else { return ["\(answer.status) of type \(type) is not documented"] }
        guard type == "application/json" else { return [] }
        guard let value = try? answer.value() else { return ["it is no JSON"] }
        return SchemaCheck(document: document).mistakes(in: value, against: schema)
    }

    private func schema(_ name: String, of document: SettingValue.Entries) -> SettingValue? {
        document["components"]?.member(.string("schemas"))?.member(.string(name))
    }
}
