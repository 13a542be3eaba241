import LiveServing
import Settle
import SettleTesting
import Testing

/// `POST /settings/undo/{token}`.
@Suite(.timeLimit(.minutes(10)))
struct UndoTests {
    private static let kept = HistoryTests.kept

    @Test("It puts back what was there and says who did that")
    func itPutsBackWhatWasThereAndSaysWhoDidThat() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            service.settings.admin.tokens = Secret(["ops": "a-token-of-ops-nobody-may-see"])
            let token = try await service.patch("{\"limits.burst\": 7, \"limits.perSecond\": 8}")
            var request = TestRequest.admin(.post, "/settings/undo/\(token)", token: "a-token-of-ops-nobody-may-see")
            request.headers.append(("X-Changed-By", "another"))
            let answer = try await service.send(request)
            #expect(answer.status == 200)
            let keys: SettingValue = .array([.string("limits.burst"), .string("limits.perSecond")])
            #expect(try answer.json()["keys"] == keys)
            #expect(try answer.json()["conflicts"] == .array([]))
            #expect(try answer.json()["undone"] == .string("\(token)"))
            #expect(service.settings.limits.burst == 1_000 && service.settings.limits.$burst.isDefault)
            let entry = try #require(try await service.history("?limit=1").first)
            #expect(entry.json["author"]?.member(.string("name")) == .string("ops"))
            #expect(entry.json["undone"] == .string("\(token)"))
            #expect(try answer.json()["token"] == .string("\(try #require(entry.token))"))
            #expect(answer.header("ETag") == "\"\(try #require(entry.token))\"")
            // Undoing the undo is redoing.
            let redo = try await service.send(.admin(.post, "/settings/undo/\(try #require(entry.token))"))
            #expect(redo.status == 200)
            #expect(service.settings.limits.burst == 7)
        }
    }

    @Test("What has changed since is left alone and told") func whatHasChangedSinceIsLeftAloneAndTold() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let token = try await service.patch("{\"limits.burst\": 7, \"limits.perSecond\": 8}")
            _ = try await service.patch("{\"limits.burst\": 9}")
            let answer = try await service.send(.admin(.post, "/settings/undo/\(token)"))
            #expect(answer.status == 200)
            #expect(try answer.json()["keys"] == .array([.string("limits.perSecond")]))
            let conflict: SettingValue.Entries = [
                "key": .string("limits.burst"), "then": .integer(7), "now": .integer(9),
            ]
            #expect(try answer.json()["conflicts"] == .array([.dictionary(conflict)]))
            #expect(service.settings.limits.burst == 9)
        }
    }

    @Test("If nothing is left to be undone it is a conflict unless forced")
    func ifNothingIsLeftToBeUndoneItIsAConflictUnlessForced() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let token = try await service.patch("{\"limits.burst\": 7}")
            _ = try await service.patch("{\"limits.burst\": 9}")
            for query in ["", "?force=false"] {
                let answer = try await service.send(.admin(.post, "/settings/undo/\(token)\(query)"))
                #expect(answer.status == 409)
                // Nothing was stored, so there is no place to build on.
                #expect(answer.header("ETag") == nil)
                #expect(try answer.json()["keys"] == .array([]))
                #expect(answer.text.contains("\"key\":\"limits.burst\""))
                #expect(answer.error?.contains("has changed since") == true)
            }
            #expect(service.settings.limits.burst == 9)
            #expect(try await service.send(.admin(.post, "/settings/undo/\(token)?force=yes")).status == 400)
            let forced = try await service.send(.admin(.post, "/settings/undo/\(token)?force=true"))
            #expect(forced.status == 200)
            #expect(service.settings.limits.$burst.isDefault)
            let lines = try await service.send(.get("/metrics")).text.split(separator: "\n")
            #expect(lines.contains("settings_undos_total 1"))
            #expect(lines.contains("settings_conflicts_total 2"))
        }
    }

    @Test("What is not known gets 404 and what may have been once 410")
    func whatIsNotKnownGets404AndWhatMayHaveBeenOnce410() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let token = try await service.patch("{\"limits.burst\": 7}")
            var (another, later, wrong) = (token, token, token)
            another.history ^= 1
            later.position += 10
            wrong.checksum ^= 1
            for (text, status) in [
                ("nonsense", 404), ("%F0%9F", 400), ("\(another)", 404), ("\(later)", 404), ("\(wrong)", 410),
            ] {
                let answer = try await service.send(.admin(.post, "/settings/undo/\(text)"))
                #expect(answer.status == status, "\(text): \(answer)")
                #expect(answer.error != nil)
            }
            #expect(service.settings.limits.burst == 7)
        }
    }

    @Test("A secret cannot be undone") func aSecretCannotBeUndone() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let new = "another-token-than-before"
            _ = try await service.send(.admin(.patch, "/settings/admin.token", "\"\(new)\""))
            let token = try #require(service.store.history.token)
            let answer = try await service.send(.admin(.post, "/settings/undo/\(token)", token: new))
            #expect(answer.status == 422)
            #expect(answer.error?.contains("admin.token") == true)
            #expect(!answer.text.contains(new) && !answer.text.contains(TestRequest.token))
        }
    }

    @Test("An old value that breaks its rule is not put back")
    func anOldValueThatBreaksItsRuleIsNotPutBack() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage, configuration: Self.kept) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(0)])
            let token = try await service.patch("{\"limits.burst\": 9}")
            let answer = try await service.send(.admin(.post, "/settings/undo/\(token)"))
            #expect(answer.status == 422)
            #expect(answer.error?.contains("1...100000") == true)
            #expect(service.settings.limits.burst == 9)
        }
    }

    @Test("Without the token nothing is undone") func withoutTheTokenNothingIsUndone() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let token = try await service.patch("{\"limits.burst\": 7}")
            var request = TestRequest.get("/settings/undo/\(token)")
            request.method = .post
            #expect(try await service.send(request).status == 401)
            #expect(try await service.send(.get("/settings/history")).status == 401)
            #expect(service.settings.limits.burst == 7)
        }
    }
}

extension TestService {
    /// Changes settings, and returns the place of that.
    fileprivate func patch(_ body: String) async throws -> ChangeToken {
        #expect(try await send(.admin(.patch, "/settings", body)).status == 200)
        return try #require(store.history.token)
    }
}
