import Foundation
import Settle
import SettleTesting
import Testing

/// A journal of version 1, in which records don't count transactions. A program of the time before the history has written
/// these bytes, and was killed before it could write the file again.
@Suite(.timeLimit(.minutes(10))) struct EarlierJournalTests {
    struct Lock: SettingsGroup {
        @Setting var isPasscodeEnabled = false
        @Setting(in: 0...20) var attemptCount = 0
        @Setting var checkInterval = 60.0
        @Setting var nextCheckDate: Date?
        @Setting var name = ""
        @Setting var counts: [String: Int] = [:]
    }

    private static let file = """
        {
          "isPasscodeEnabled": true,
          "name": "Zoë"
        }

        """

    private static let journal = """
        U2V0dGxl9QoBAAAAjosIkdSyTivNv9ZeAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACgAAAADAAAA1LJO\
        K82/1l4AAAAAAAAAALEcT3++GYMPAAAAAAAAAACdWckbrRKZqAAAAAAAAAAA//////////9AAAAAAAAAADIAAAABAAAAsRxPf74Z\
        gw8AAAAAAAAAAHOTTp3XE85/FwAAAAIAAAAOKpe6XRUpRhFpc1Bhc3Njb2RlRW5hYmxlZARuYW1lAQADAAcEWm/DqwAAAAAAAAAo\
        AAAAAgAAAHOTTp3XE85/4AAAAAAAAAAJYCjMSIdE/AAAAAAAAAAAdvRNJNQfGNvTDIlNpmleCzIAAAAAAAAA4AAAAAAAAAAoAAAA\
        AwAAAAlgKMxIh0T8KAEAAAAAAACZEzYRsXtExgAAAAAAAAAA3eDFg0zX3MfTDIlNpmleCzIAAAAAAAAA4AAAAAAAAAAiAAAAAQAA\
        AJkTNhGxe0TGKAEAAAAAAAAhqb7Y8qq2yQ0AAAABAAAAEW1hyO9wQvwMYXR0ZW1wdENvdW50AgAEBgAAAAAAAAAqAAAAAQAAACGp\
        vtjyqrbJuAEAAAAAAABQMGQo3bDCSg4AAAABAAAACUI+Ae4p8E4NY2hlY2tJbnRlcnZhbAMABQAAAAAAAARAAAAAAAAAAE8AAAAB\
        AAAAUDBkKN2wwkoIAgAAAAAAAA1kZd9jbJmbGgAAAAMAAADHON6QUm/ZgAZjb3VudHMEbmFtZQ1uZXh0Q2hlY2tEYXRlBAALAgFh\
        BAIBYgQEAAcGWm/DqyAyBwRab8OrCAAAQKBLZsdB
        """

    /// The files, with the room that the journal had.
    private func files() throws -> [String: Data] {
        var journal = try #require(Data(base64Encoded: Self.journal))
        #expect(journal[8] == 1)
        journal += Data(count: 16_384 - journal.count)
        return ["settings.json": Data(Self.file.utf8), ".settings.json.journal": journal]
    }

    private func expectOldValues(of lock: Lock, attemptCount: Int = 3, _ comment: Comment? = nil) {
        #expect(lock.isPasscodeEnabled && lock.attemptCount == attemptCount && lock.checkInterval == 2.5, comment)
        #expect(lock.nextCheckDate == Date(timeIntervalSinceReferenceDate: 785_160_000.5), comment)
        #expect(lock.name == "Zoë 2" && lock.counts == ["a": 1, "b": 2], comment)
    }

    @Test("A journal of an earlier version is read, and counts from then on", arguments: [false, true])
    func counts(isKept: Bool) async throws {
        let fixture = try FileStorageFixture()
        for (name, bytes) in try files() { try bytes.write(to: fixture.folder.appending(path: name)) }
        let configuration = SettingsStore.Configuration(history: isKept ? .keep() : nil)
        let store = try await SettingsStore.open(storage: fixture.storage(), configuration: configuration)
        let lock = try await store.group(Lock.self)
        #expect(store.file.loadOutcome == .intact)
        // To keep a history begins one.
        if !isKept { #expect(store.history.token == nil) }
        expectOldValues(of: lock)
        try await lock.commit { lock.attemptCount += 1 }
        let token = try #require(store.history.token)
        #expect(token.position == 1)
        try await store.close()

        let again = try await SettingsStore.open(storage: fixture.storage(), configuration: configuration)
        let reopened = try await again.group(Lock.self)
        expectOldValues(of: reopened, attemptCount: 4)
        #expect(again.history.token == token)
        try await reopened.commit { reopened.attemptCount += 1 }
        var iterator = again.history.changes(after: token).makeAsyncIterator()
        let change = await iterator.next()
        #expect(change?.snapshot == nil && change?.mutations.map { "\($0.key)" } == ["attemptCount"])
        try await again.close()
    }

    @Test(
        "Whatever the crash, a journal of an earlier version loses nothing as it becomes one of this",
        arguments: [false, true])
    func crashes(isKept: Bool) async throws {
        let points = try await forEachCrashPoint(
            of: { FileStorage(at: crashFolder.appending(path: $1), calls: $0, journalLimit: 600) },
            acknowledging: Int.self, initialFiles: try files(), history: isKept ? .keep() : nil,
            maximumImagesPerPoint: 10
        ) { run in
            let store = try await run.openStore()
            let lock = try await store.group(Lock.self)
            for count in 4...8 {
                try await lock.commit { lock.attemptCount = count }
                run.acknowledge(count)
                if count == 6 { try await run.settle() }
            }
            try await store.close()
        } check: { recovered in
            let lock = try await recovered.store.group(Lock.self)
            let acknowledged = recovered.acknowledged.last ?? 3
            expectOldValues(of: lock, attemptCount: lock.attemptCount, "\(recovered)")
            #expect(acknowledged...min(acknowledged + 1, 8) ~= lock.attemptCount, "\(recovered)")
        }
        #expect(points.points > 10)
    }
}
