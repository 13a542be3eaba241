import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PreconditionTests {
    @Test(arguments: ["", "?dryRun=true"])
    func aChangeOfWhatHasChangedSinceIsRefused(query: String) async throws {
        try await TestService.with { service async throws in
            let tag = try await service.send(.admin(.get, "/settings/limits.burst")).header("ETag")
            service.settings.limits.burst = 8
            for (method, path, body): (TestRequest.Method, String, String) in [
                (.patch, "/settings/limits.burst", "7"), (.delete, "/settings/limits.burst", ""),
                (.patch, "/settings", "{\"limits.burst\": 7}"),
            ] {
                var request = TestRequest.admin(method, path + query, body)
                request.headers.append(("If-Match", try #require(tag)))
                let answer = try await service.send(request)
                #expect(answer.status == 412)
                #expect(answer.error?.contains("\(service.store.revision)") == true)
            }
            #expect(service.settings.limits.burst == 8)
        }
    }

    @Test func aChangeOfWhatIsStillSoIsMade() async throws {
        try await TestService.with { service async throws in
            for path in ["/settings", "/settings/limits.burst"] {
                let tag = try await service.send(.admin(.get, path)).header("ETag")
                for tags in [try #require(tag), "\"1\", *"] {
                    var request = TestRequest.admin(.patch, "/settings/limits.burst", "\(Int.random(in: 1...1_000))")
                    request.headers.append(("If-Match", tags))
                    #expect(try await service.send(request).status == 200)
                }
            }
        }
    }
}
