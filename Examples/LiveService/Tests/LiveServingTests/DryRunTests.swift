import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DryRunTests {
    @Test("It tells what would change and changes nothing")
    func itTellsWhatWouldChangeAndChangesNothing() async throws {
        let storage = RecordingStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            let (before, saved) = (service.store.revision, storage.batches.count)
            let seen = ChangeRecorder(service.store.changes)
            let answer = try await service.send(.admin(.patch, "/settings/limits.burst?dryRun=true", "7"))
            #expect(answer.status == 200)
            #expect(
                try answer.json() == [
                    "dryRun": .bool(true), "author": .string("admin"),
                    "token": .string("\(try #require(service.store.history.token))"),
                    "changes": .array([change("limits.burst", from: .integer(1_000), to: .integer(7))]),
                    "covered": .array([]),
                ])
            #expect(service.settings.limits.burst == 1_000)
            #expect(service.settings.limits.$burst.isDefault)
            #expect(service.store.revision == before)
            try await service.store.flush()
            #expect(storage.batches.count == saved)
            // The first change that subscribers see is the next real one.
            service.settings.limits.burst = 8
            #expect(await seen.next()?.mutations.first?.newStoredValue == .integer(8))
        }
    }

    @Test("Followers of a setting and of the events see nothing")
    func followersOfASettingAndOfTheEventsSeeNothing() async throws {
        try await TestService.with { service async throws in
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                var values = service.settings.limits.$burst.makeAsyncIterator()
                #expect(await values.next() == 1_000)
                _ = try await service.send(.admin(.patch, "/settings/limits.burst?dryRun=true", "7"))
                _ = try await service.send(.admin(.delete, "/settings/limits.burst?dryRun=true"))
                service.settings.limits.burst = 8
                #expect(await values.next() == 8)
                let event = try await events.next()
                #expect(event?.id == "\(try #require(service.store.history.token))")
                #expect(event?.text.contains("\"new\":8,\"old\":1000") == true, "\(event?.text ?? "")")
            }
        }
    }

    @Test("A reset is tried too") func aResetIsTriedToo() async throws {
        try await TestService.with { service async throws in
            service.settings.limits.burst = 7
            let answer = try await service.send(.admin(.delete, "/settings/limits.burst?dryRun=true"))
            #expect(
                try answer.json()["changes"]
                    == .array([change("limits.burst", from: .integer(7), to: .integer(1_000))]))
            #expect(service.settings.limits.burst == 7)
        }
    }

    @Test("What is as before is no change") func whatIsAsBeforeIsNoChange() async throws {
        try await TestService.with { service async throws in
            for (path, body) in [
                ("/settings/limits.burst", "1000"), ("/settings/admin.token", "\"\(TestRequest.token)\""),
            ] {
                let answer = try await service.send(.admin(.patch, path + "?dryRun=true", body))
                #expect(try answer.json()["changes"] == .array([]))
            }
        }
    }

    @Test("A secret is said to change and no more") func aSecretIsSaidToChangeAndNoMore() async throws {
        try await TestService.with { service async throws in
            let new = "another-token-than-before"
            let answer = try await service.send(.admin(.patch, "/settings/admin.token?dryRun=true", "\"\(new)\""))
            #expect(
                try answer.json()["changes"]
                    == .array([.dictionary(["key": .string("admin.token"), "isSecret": .bool(true)])]))
            #expect(!answer.text.contains(new))
            #expect(try await service.send(.admin(.get, "/settings")).status == 200)
        }
    }

    @Test(
        "What would be refused is refused",
        arguments: [
            ("/settings/limits.burst", "0", 422), ("/settings/limits.burst", "\"many\"", 422),
            ("/settings/limits.burst", "{", 400), ("/settings/limits.speed", "1", 404),
            ("/settings", "{\"limits.burst\": 7, \"limits.perSecond\": 0}", 422), ("/settings", "[]", 400),
        ])
    func whatWouldBeRefusedIsRefused(path: String, body: String, status: Int) async throws {
        try await TestService.with { service async throws in
            let real = try await service.send(.admin(.patch, path, body))
            let trial = try await service.send(.admin(.patch, path + "?dryRun=true", body))
            #expect(trial.status == status)
            #expect(trial.error == real.error)
        }
    }

    @Test("Several changes are told together") func severalChangesAreToldTogether() async throws {
        try await TestService.with { service async throws in
            let body = "{\"limits.burst\": 7, \"limits.perSecond\": 1000, \"maintenance.isOn\": true}"
            let answer = try await service.send(.admin(.patch, "/settings?dryRun=true", body))
            #expect(
                try answer.json()["changes"]
                    == .array([
                        change("limits.burst", from: .integer(1_000), to: .integer(7)),
                        change("maintenance.isOn", from: .bool(false), to: .bool(true)),
                    ]))
            #expect(try await service.send(.get("/hello")).status == 200)
        }
    }

    @Test("Only true and false are understood") func onlyTrueAndFalseAreUnderstood() async throws {
        try await TestService.with { service async throws in
            for word in ["", "yes", "1", "TRUE"] {
                let answer = try await service.send(.admin(.patch, "/settings/limits.burst?dryRun=\(word)", "7"))
                #expect(answer.status == 400)
                #expect(answer.error?.contains("dryRun") == true)
            }
            #expect(service.settings.limits.$burst.isDefault)
            let real = try await service.send(.admin(.patch, "/settings/limits.burst?dryRun=false", "7"))
            #expect(real.status == 200)
            #expect(service.settings.limits.burst == 7)
        }
    }

    private func change(_ key: String, from old: SettingValue, to new: SettingValue) -> SettingValue {
        .dictionary(["key": .string(key), "old": old, "new": new])
    }
}
