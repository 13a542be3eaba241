import LiveServing
import ServiceLifecycle
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ChangeStreamTests {
    @Test("A new client gets the listing and then each change once")
    func aNewClientGetsTheListingAndThenEachChangeOnce() async throws {
        try await TestService.with { service async throws in
            try await service.withEvents { events async throws in
                let covered = try await events.next()
                #expect(covered?.name == "covered")
                #expect(covered?.id == nil)
                #expect(try covered?.data() == ["settings": .array([])])
                let snapshot = try await events.next()
                #expect(snapshot?.name == "snapshot")
                #expect(try snapshot?.data()["missed"] == .bool(false))
                var last = try #require(try snapshot?.token)
                for burst in 1...20 { service.settings.limits.burst = burst }
                for number in 1...20 {
                    let change = try await events.next()
                    #expect(change?.name == "change")
                    let token = try #require(try change?.token)
                    #expect(token.position == last.position + 1)
                    #expect(token.history == last.history)
                    #expect(try change?.mutation(of: "limits.burst")?.member(.string("new")) == .integer(Int64(number)))
                    last = token
                }
                #expect(last == service.store.history.token)
            }
        }
    }

    @Test("An event says who changed what from what to what")
    func anEventSaysWhoChangedWhatFromWhatToWhat() async throws {
        try await TestService.with { service async throws in
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                _ = try await service.send(.admin(.patch, "/settings/limits.burst", "7"))
                let data = try await events.next()?.data()
                #expect(data?["author"] == .string("admin"))
                #expect(data?["origin"] == .string("local"))
                #expect(data?["domain"] == .string("application"))
                #expect(
                    data?["changes"]
                        == .array([
                            .dictionary([
                                "key": .string("limits.burst"), "old": .integer(1_000), "new": .integer(7),
                            ])
                        ]))
            }
        }
    }

    @Test("A change from outside is external") func aChangeFromOutsideIsExternal() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                storage.simulateExternalChange(["limits.burst": .integer(7)], author: "another")
                let data = try await events.next()?.data()
                #expect(data?["origin"] == .string("external"))
                #expect(data?["author"] == .string("another"))
            }
        }
    }

    @Test("A client that comes back gets what it has missed and no listing")
    func aClientThatComesBackGetsWhatItHasMissedAndNoListing() async throws {
        try await TestService.with { service async throws in
            let id = try await service.withEvents { events in try await events.snapshot()?.id }
            for burst in 1...3 { service.settings.limits.burst = burst }
            let request = TestRequest.admin(.get, "/settings/changes", lastEventID: id)
            let last = try await service.withEvents(request) { events async throws in
                #expect(try await events.next()?.name == "covered")
                #expect(try await events.next()?.newBurst == 1)
                let second = try await events.next()
                #expect(try second?.newBurst == 2)
                return second?.id
            }
            service.settings.limits.burst = 4
            let again = TestRequest.admin(.get, "/settings/changes", lastEventID: last)
            try await service.withEvents(again) { events async throws in
                #expect(try await events.next()?.name == "covered")
                #expect(try await events.next()?.newBurst == 3)
                #expect(try await events.next()?.newBurst == 4)
            }
        }
    }

    @Test("A quiet stream says that it is still there") func aQuietStreamSaysThatItIsStillThere() async throws {
        let clock = ManualClock()
        try await TestService.with(clock: clock) { service async throws in
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                for _ in 0..<2 {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: .seconds(15))
                    #expect(try await events.next()?.isComment == true)
                }
            }
        }
    }

    @Test("A client that has gone is unsubscribed") func aClientThatHasGoneIsUnsubscribed() async throws {
        try await TestService.with { service async throws in
            // The change log and the service's three reactions.
            let before = 4
            try await eventually("the service follows its settings") {
                service.store.statistics.subscribers == before
            }
            for _ in 0..<3 {
                try await service.withEvents { events async throws in
                    _ = try await events.snapshot()
                    try await eventually("the stream is subscribed") { service.store.statistics.subscribers > before }
                }
                // Nothing changes and no time passes: only the disconnect itself can be noticed.
                try await eventually("the stream has unsubscribed") { service.store.statistics.subscribers == before }
            }
        }
    }

    /// A request behind the stream's must not hide that.
    @Test(
        "A client that sent more and has gone is unsubscribed",
        arguments: ["", "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /he"])
    func aClientThatSentMoreAndHasGoneIsUnsubscribed(more: String) async throws {
        try await TestService.with { service async throws in
            try await eventually("the service follows its settings") { service.store.statistics.subscribers == 4 }
            try await RawConnection.with(port: service.port) { connection async throws in
                let authorization = "Authorization: Bearer \(TestRequest.token)"
                try await connection.send(
                    "GET /settings/changes HTTP/1.1\r\nHost: localhost\r\n\(authorization)\r\n\r\n\(more)")
                #expect(try await connection.response().status == 200)
                try await eventually("the stream is subscribed") { service.store.statistics.subscribers == 6 }
                connection.closeOutput()
                try await eventually("the stream has unsubscribed") { service.store.statistics.subscribers == 4 }
            }
        }
    }

    @Test("A graceful shutdown ends open streams") func aGracefulShutdownEndsOpenStreams() async throws {
        try await TestService.with { service async throws in
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                await service.group.triggerGracefulShutdown()
                #expect(try await events.next() == nil)
            }
        }
    }

    @Test("A client that reads nothing is given a second at the end")
    func aClientThatReadsNothingIsGivenASecondAtTheEnd() async throws {
        let clock = ManualClock()
        // The service's own time limit for requests, which would end this too, is never reached.
        try await TestService.with(clock: clock, longestShutdown: .seconds(1_000_000)) { service async throws in
            // More than both sides' buffers hold, so that the service has to wait for the client to the end.
            let ballast = try await service.store.group(Ballast.self, at: "ballast")
            ballast.text = String(repeating: "x", count: 12 << 20)
            let changes = service.store.changes
            try await TestConnection.with(port: service.port, receiveBuffer: 4_096) { connection in
                _ = try await connection.begin(.admin(.get, "/settings/changes"))
                // Once the first part of the snapshot has arrived, the service waits to send the rest.
                var received = ""
                while !received.contains("event: snapshot") {
                    received += try #require(try await connection.nextPart())
                }
                await service.group.triggerGracefulShutdown()
                // The store closes last of all, while the client still holds its connection.
                let end = Task { for await _ in changes {} }
                let passing = Task {
                    while !Task.isCancelled {
                        await clock.sleepers(atLeast: 1)
                        clock.advance(by: .milliseconds(100))
                    }
                }
                await end.value
                passing.cancel()
                await passing.value
                withExtendedLifetime(ballast) {}
            }
        }
    }

    @Test("A change of a secret is told without its values")
    func aChangeOfASecretIsToldWithoutItsValues() async throws {
        try await TestService.with { service async throws in
            let id = try await service.withEvents { events in try await events.snapshot()?.id }
            let new = "another-token-than-before"
            service.settings.admin.token = Secret(new)
            let again = TestRequest.admin(.get, "/settings/changes", lastEventID: id, token: new)
            try await service.withEvents(again) { events async throws in
                #expect(try await events.next()?.name == "covered")
                let data = try await events.next()?.data()
                #expect(
                    data?["changes"]
                        == .array([.dictionary(["key": .string("admin.token"), "isSecret": .bool(true)])]))
            }
        }
    }

    @Test("Another token ends the streams of the old one") func anotherTokenEndsTheStreamsOfTheOldOne() async throws {
        try await TestService.with { service async throws in
            try await service.withEvents { events async throws in
                _ = try await events.snapshot()
                // Not even changes in the same transaction are sent, which may already be queued.
                try service.store.update {
                    service.settings.admin.token = Secret("another-token-than-before")
                    service.settings.limits.burst = 7
                }
                #expect(try await events.next() == nil)
            }
        }
    }
}

/// A long text in the snapshot.
private struct Ballast: SettingsGroup {
    @Setting var text = ""
}
