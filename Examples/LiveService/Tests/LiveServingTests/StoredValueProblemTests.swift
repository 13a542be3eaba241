import LiveServing
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoredValueProblemTests {
    @Test("A wrong edit is listed with its reason until it is mended")
    func aWrongEditIsListedWithItsReasonUntilItIsMended() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            service.settings.limits.burst = 7
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(0)])
            let problem = try await problem(of: "limits.burst", in: service)
            #expect(problem["stored"] == .integer(0))
            #expect(
                problem["sentence"]
                    == .string(
                        "The stored value of “limits.burst” can't be used: it must be in 1...100000. The last good value, "
                            + "7, stays in force; the stored value is kept until the key is written."))
            let entry = try await service.send(.admin(.get, "/settings/limits.burst")).json()
            #expect(entry["value"] == .integer(7))
            #expect(entry["problem"] == .dictionary(problem))
            // The value in force comes back into the file, so that no change tells of it.
            storage.simulateExternalChange(["limits.burst": .integer(7)])
            try await eventually("the problem is gone") { try await listed("limits.burst", in: service) == nil }
        }
    }

    @Test("A write mends it") func aWriteMendsIt() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(0), "limits.perSecond": .bool(true)])
            _ = try await problem(of: "limits.burst", in: service)
            _ = try await problem(of: "limits.perSecond", in: service)
            let answer = try await service.send(.admin(.patch, "/settings/limits.burst", "8")).json()
            #expect(answer["value"] == .integer(8))
            #expect(answer["problem"] == nil)
            #expect(try await listed("limits.perSecond", in: service) != nil)
        }
    }

    @Test("What is wrong from the start is listed with the default in force")
    func whatIsWrongFromTheStartIsListedWithTheDefaultInForce() async throws {
        let storage = InMemoryStorage()
        storage.simulateExternalChange(["limits.burst": .integer(0)])
        try await TestService.with(storage: storage) { service async throws in
            let problem = try await problem(of: "limits.burst", in: service)
            guard case .string(let sentence)? = problem["sentence"] else { throw MissingField() }
            #expect(sentence.contains("The default is used instead"))
        }
    }

    @Test("The events begin with it") func theEventsBeginWithIt() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(0)])
            _ = try await problem(of: "limits.burst", in: service)
            let first = try await service.withEvents { events in try await events.next()?.text }
            #expect(first?.contains("\"problem\":{\"sentence\":") == true)
        }
    }

    /// What the file has is told, and what is in force instead, until that is the same again.
    @Test("A client is not left with a value that is not in force")
    func aClientIsNotLeftWithAValueThatIsNotInForce() async throws {
        let (storage, clock) = (InMemoryStorage(), ManualClock())
        try await TestService.with(storage: storage, clock: clock) { service async throws in
            try await service.store.commit { service.settings.limits.burst = 7 }
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                storage.simulateExternalChange(["limits.burst": .integer(0)])
                #expect(try await events.next()?.newBurst == 0)
                _ = try await problem(of: "limits.burst", in: service)
                // Heartbeats need time to pass, and so does a save so soon after the one before.
                let passing = Task {
                    while !Task.isCancelled {
                        await clock.sleepers(atLeast: 1)
                        clock.advance(by: .seconds(1))
                    }
                }
                defer { passing.cancel() }
                let wrong = try #require(try await covered(&events))
                guard case .array(let settings)? = try wrong.data()["settings"] else { throw MissingField() }
                #expect(settings.map { $0.member(.string("key")) } == [.string("limits.burst")])
                #expect(settings.first?.member(.string("value")) == .integer(7))
                #expect(settings.first?.member(.string("problem")) != nil)
                service.settings.limits.burst = 8
                // The change is in force a moment before it is stored.
                while try #require(try await covered(&events)).data() != ["settings": .array([])] {}
            }
        }
    }

    private func covered(_ events: inout TestEvents) async throws -> TestEvent? {
        while let event = try await events.next() {
            if event.name == "covered" { return event }
        }
        return nil
    }

    @Test("A wrong secret is not shown") func aWrongSecretIsNotShown() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["admin.token": .string("short-xyzzy")])
            let problem = try await problem(of: "admin.token", in: service)
            #expect(problem["stored"] == nil)
            #expect(!"\(problem)".contains("xyzzy"))
        }
    }

    /// Waits until the setting has a problem.
    private func problem(of key: String, in service: TestService) async throws -> SettingValue.Entries {
        var problem: SettingValue.Entries?
        try await eventually("“\(key)” has a problem") {
            problem = try await listed(key, in: service)
            return problem != nil
        }
        return try #require(problem)
    }

    private func listed(_ key: String, in service: TestService) async throws -> SettingValue.Entries? {
        let listing = try await service.send(.admin(.get, "/settings")).json()
        guard case .array(let settings)? = listing["settings"] else { throw MissingField() }
        for case .dictionary(let entry) in settings where entry["key"] == .string(key) {
            guard case .dictionary(let problem)? = entry["problem"] else { return nil }
            return problem
        }
        throw MissingField()
    }
}
