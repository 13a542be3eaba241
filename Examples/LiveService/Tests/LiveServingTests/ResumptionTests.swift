import LiveServing
import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a client gets that comes back with the id of the last event that it has seen.
@Suite(.timeLimit(.minutes(10)))
struct ResumptionTests {
    private static func coming(back id: String?) -> TestRequest {
        .admin(.get, "/settings/changes", lastEventID: id)
    }

    @Test("A restart of the service hides nothing") func aRestartOfTheServiceHidesNothing() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let id = try await TestService.with(storage: FileStorage(at: file)) { service in
                let id = try await service.withEvents { events in try await events.snapshot()?.id }
                for burst in 1...3 { try await service.store.commit { service.settings.limits.burst = burst } }
                return id
            }
            // Another process, while the service is not there.
            let other = try await SettingsStore.open(at: file)
            try await other.commit(author: "deploy") { try other.keys.setValue(.integer(4), forKey: "limits.burst") }
            try await other.close()
            try await TestService.with(storage: FileStorage(at: file)) { service async throws in
                try await service.store.commit { service.settings.limits.burst = 5 }
                try await service.withEvents(Self.coming(back: id)) { events async throws in
                    #expect(try await events.next()?.name == "covered")
                    for burst in 1...3 { #expect(try await events.next()?.newBurst == burst) }
                    let deployed = try await events.next()
                    #expect(try deployed?.newBurst == 4)
                    #expect(try deployed?.data()["author"] == .string("deploy"))
                    #expect(try await events.next()?.newBurst == 5)
                    service.settings.limits.burst = 6
                    #expect(try await events.next()?.newBurst == 6)
                }
            }
        }
    }

    @Test(
        "An ID that is no place here gets a snapshot that says so",
        arguments: [
            "0", "1", "7070670463000003", "-1", "nonsense", "-", "99999999999999999999",
            "00c0ffee00c0ffee-1-0123456789abcdef",
        ])
    func anIDThatIsNoPlaceHereGetsASnapshotThatSaysSo(id: String) async throws {
        try await TestService.with { service async throws in
            try await service.store.flush()
            try await service.withEvents(Self.coming(back: id)) { events async throws in
                let first = try await events.snapshot()
                #expect(first?.name == "snapshot")
                #expect(try first?.data()["missed"] == .bool(true))
                #expect(try first?.token == service.store.history.token)
                service.settings.limits.burst = 7
                #expect(try await events.next()?.newBurst == 7)
            }
        }
    }

    /// A backup of the file is restored, and goes another way.
    @Test("A place of another past gets a snapshot that says so")
    func aPlaceOfAnotherPastGetsASnapshotThatSaysSo() async throws {
        try await withTemporaryFolder { folder in
            let (file, backup) = (folder.appending(path: "a/settings.json"), folder.appending(path: "b"))
            func commit(_ burst: Int) async throws -> ChangeToken? {
                let store = try await SettingsStore.open(at: file)
                try await store.commit { try store.keys.setValue(.integer(Int64(burst)), forKey: "limits.burst") }
                let token = store.history.token
                try await store.close()
                return token
            }
            _ = try await commit(1)
            try FileManager.default.copyItem(at: folder.appending(path: "a"), to: backup)
            let token = try #require(try await commit(2))
            try FileManager.default.removeItem(at: folder.appending(path: "a"))
            try FileManager.default.copyItem(at: backup, to: folder.appending(path: "a"))
            _ = try await commit(3)
            try await TestService.with(storage: FileStorage(at: file)) { service async throws in
                try await service.withEvents(Self.coming(back: "\(token)")) { events async throws in
                    let first = try await events.snapshot()
                    #expect(try first?.data()["missed"] == .bool(true))
                    #expect(try first?.data()["values"]?.member(.string("limits.burst")) == .integer(3))
                }
            }
        }
    }

    @Test("Those that come back are counted and those that lost their place")
    func thoseThatComeBackAreCountedAndThoseThatLostTheirPlace() async throws {
        try await TestService.with { service async throws in
            let good = try await service.withEvents { events in try await events.snapshot()?.id }
            service.settings.limits.burst = 7
            for id in [good, "nonsense", good, "00c0ffee00c0ffee-1-0123456789abcdef"] {
                try await service.withEvents(Self.coming(back: id)) { events async throws in
                    _ = try await events.snapshot()
                }
            }
            let lines = try await service.send(.get("/metrics")).text.split(separator: "\n")
            #expect(lines.contains("settings_resumptions_total 4"))
            #expect(lines.contains("settings_lost_resumptions_total 2"))
        }
    }

    /// Values of other domains have no place in the file's history.
    @Test("A change of another domain is told without a place")
    func aChangeOfAnotherDomainIsToldWithoutAPlace() async throws {
        let source = ManualDomainSource(DomainContents(Self.burst(5)))
        let list: SearchList = [.source("switches", source), .application]
        try await TestService.with(searching: list) { service async throws in
            try await service.withEvents { events async throws in
                let first = try await events.next()
                #expect(try first?.coveringBurst == 5)
                let snapshot = try await events.next()
                #expect(try snapshot?.data()["values"]?.member(.string("limits.burst")) == .integer(1_000))
                source.set(Self.burst(6))
                let second = try await events.next()
                #expect(second?.name == "covered")
                #expect(second?.id == nil)
                #expect(try second?.coveringBurst == 6)
                let change = try second?.data()["change"]
                #expect(change?.member(.string("domain")) == .string("switches"))
                let mutation: SettingValue.Entries = [
                    "key": .string("limits.burst"), "old": .integer(5), "new": .integer(6),
                ]
                #expect(change?.member(.string("changes")) == .array([.dictionary(mutation)]))
                // What the file has is told although it is covered, and is what counts once it no longer is.
                service.settings.limits.burst = 7
                #expect(try await events.next()?.newBurst == 7)
                source.set(SettingTree())
                let third = try await events.next()
                #expect(try third?.data()["settings"] == .array([]))
            }
        }
    }

    @Test("A client that comes back has the values of other domains as they are now")
    func aClientThatComesBackHasTheValuesOfOtherDomainsAsTheyAreNow() async throws {
        try await withTemporaryFolder { folder in
            let storage = { FileStorage(at: folder.appending(path: "settings.json")) }
            var id: String?
            for (variable, value) in [("70", 70), ("80", 80), (nil, nil), ("90", 90)] {
                let variables = variable.map { ["LIVE_LIMITS_BURST": $0] } ?? [:]
                let last = id
                let list = SearchList.service(variables: variables)
                id = try await TestService.with(storage: storage(), searching: list) { service in
                    try await service.store.flush()
                    return try await service.withEvents(Self.coming(back: last)) { events in
                        #expect(try await events.next()?.coveringBurst == value)
                        return last == nil ? try await events.next()?.id : last
                    }
                }
            }
        }
    }

    private static func burst(_ value: Int64) -> SettingTree {
        var tree = SettingTree()
        tree["limits.burst"] = .integer(value)
        return tree
    }
}

extension TestEvent {
    /// The value in force of `limits.burst`, if it is not the file's.
    fileprivate var coveringBurst: Int? {
        get throws {
            guard case .array(let settings)? = try data()["settings"] else { throw MissingField() }
            let entry = settings.first { $0.member(.string("key")) == .string("limits.burst") }
            guard case .integer(let value)? = entry?.member(.string("value")) else { return nil }
            return Int(value)
        }
    }
}
