import LiveServing
import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10)))
struct PreconditionTests {
    private static let writes: [(TestRequest.Method, String, String)] = [
        (.patch, "/settings/limits.burst", "7"), (.delete, "/settings/limits.burst", ""),
        (.patch, "/settings", "{\"limits.burst\": 7}"),
    ]

    @Test("A change of what has changed since is refused and names the keys", arguments: ["", "?dryRun=true"])
    func aChangeOfWhatHasChangedSinceIsRefusedAndNamesTheKeys(query: String) async throws {
        try await TestService.with { service async throws in
            let tag = try await service.tag(of: "/settings/limits.burst")
            try await service.store.commit { service.settings.limits.burst = 8 }
            for (method, path, body) in Self.writes {
                let answer = try await service.send(.admin(method, path + query, ifMatch: tag, body))
                #expect(answer.status == 412)
                #expect(try answer.json()["conflicts"] == .array([.string("limits.burst")]))
                #expect(answer.error?.contains("has changed since: “limits.burst”") == true)
                let now = try #require(service.store.history.token)
                #expect(answer.header("ETag") == "\"\(now)\"")
                #expect(try answer.json()["token"] == .string("\(now)"))
            }
            #expect(service.settings.limits.burst == 8)
        }
    }

    @Test("A change of what is still so is made") func aChangeOfWhatIsStillSoIsMade() async throws {
        try await TestService.with { service async throws in
            for path in ["/settings", "/settings/limits.burst"] {
                for (method, target, body) in Self.writes {
                    let tag = try await service.tag(of: path)
                    for tags in [tag, "\"1\", \(tag)", "\(tag),\"1\"", " \(tag) "] {
                        let trial = TestRequest.admin(method, target + "?dryRun=true", ifMatch: tags, body)
                        #expect(try await service.send(trial).status == 200)
                    }
                    #expect(try await service.send(.admin(method, target, ifMatch: tag, body)).status == 200)
                }
            }
        }
    }

    @Test("Whatever is there may be changed with an asterisk")
    func whateverIsThereMayBeChangedWithAnAsterisk() async throws {
        try await TestService.with { service async throws in
            for (method, path, body) in Self.writes {
                service.settings.limits.burst = .random(in: 1...1_000)
                #expect(try await service.send(.admin(method, path, ifMatch: "*", body)).status == 200)
            }
        }
    }

    /// The resource of a setting is the setting; that of the listing is all of them.
    @Test("Another key is no conflict for a setting but for the listing")
    func anotherKeyIsNoConflictForASettingButForTheListing() async throws {
        try await TestService.with { service async throws in
            let tag = try await service.tag(of: "/settings")
            try await service.store.commit { service.settings.limits.perSecond = 8 }
            let all = try await service.send(.admin(.patch, "/settings", ifMatch: tag, "{\"limits.burst\": 7}"))
            #expect(all.status == 412)
            #expect(try all.json()["conflicts"] == .array([.string("limits.perSecond")]))
            let one = try await service.send(.admin(.patch, "/settings/limits.burst", ifMatch: tag, "7"))
            #expect(one.status == 200)
        }
    }

    @Test(
        "What HTTP does not allow is no precondition",
        arguments: [
            "", "1", "\"", "\"1", "1\"", "\"1\" \"2\"", "\"1\",", ",\"1\"", "\"1\", *", "w/\"1\"", "\"a b\"", "**",
        ])
    func whatHTTPDoesNotAllowIsNoPrecondition(tags: String) async throws {
        try await TestService.with { service async throws in
            for query in ["", "?dryRun=true"] {
                let request = TestRequest.admin(.patch, "/settings/limits.burst\(query)", ifMatch: tags, "7")
                let answer = try await service.send(request)
                #expect(answer.status == 400)
                #expect(answer.error?.contains("If-Match") == true)
            }
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    /// Well-formed, but of no place: what has changed since can't be told.
    @Test(
        "A tag of no place matches nothing",
        arguments: ["\"1\"", "\"\"", "\"00c0ffee00c0ffee-1-0123456789abcdef\"", "W/", "swapped"])
    func aTagOfNoPlaceMatchesNothing(tag: String) async throws {
        try await TestService.with { service async throws in
            var tag = tag
            if tag == "W/" { tag += try await service.tag(of: "/settings") }
            if tag == "swapped" {
                var token = try #require(service.store.history.token)
                token.checksum ^= 1
                tag = "\"\(token)\""
            }
            let answer = try await service.send(.admin(.patch, "/settings/limits.burst", ifMatch: tag, "7"))
            #expect(answer.status == 412)
            #expect(try answer.json()["conflicts"] == nil)
            #expect(answer.error?.contains("not known any more") == true)
            #expect(service.settings.limits.$burst.isDefault)
        }
    }

    @Test("A tag of an earlier run is good in the next one") func aTagOfAnEarlierRunIsGoodInTheNextOne() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let tag = try await TestService.with(storage: FileStorage(at: file)) { service in
                try await service.tag(of: "/settings")
            }
            try await TestService.with(storage: FileStorage(at: file)) { service async throws in
                let good = try await service.send(.admin(.patch, "/settings/limits.burst", ifMatch: tag, "7"))
                #expect(good.status == 200)
                let late = try await service.send(.admin(.patch, "/settings/limits.burst", ifMatch: tag, "8"))
                #expect(late.status == 412)
            }
        }
    }

    @Test("Of many that read the same one wins") func ofManyThatReadTheSameOneWins() async throws {
        try await TestService.with { service async throws in
            for round in 1...20 {
                let tag = try await service.tag(of: "/settings/limits.burst")
                let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for burst in 1...8 {
                        // One that changes nothing would keep nobody else from winning.
                        let value = "\(round * 10 + burst)"
                        let request = TestRequest.admin(.patch, "/settings/limits.burst", ifMatch: tag, value)
                        tasks.addTask { try await service.send(request).status }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.count { $0 == 200 } == 1)
                #expect(statuses.count { $0 == 412 } == 7)
            }
        }
    }
}

extension TestService {
    /// The entity tag of a resource. The history of a new file, which tags are places in, begins a moment after the
    /// store is open.
    func tag(of path: String) async throws -> String {
        while true {
            let answer = try await send(.admin(.get, path))
            try #require(answer.status == 200)
            if let tag = answer.header("ETag") { return tag }
        }
    }
}
