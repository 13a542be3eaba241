import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Files that are put back, copied or replaced by others.
extension ResumedChangesTests {
    @Test("A backup that is restored under a running follower is reported", arguments: [false, true])
    func restoredBackup(isInPlace: Bool) async throws {
        let place = try ShortJournals(journalLimit: FileStorage.journalLimit)
        let store = try await place.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        let backup = try place.fixture.contents()
        for number in 2...5 { try await settings.commit { settings.count = number } }
        var iterator = store.history.changes(after: store.history.token).makeAsyncIterator()
        try await settings.commit { settings.count = 6 }
        #expect(try await next(1, of: &iterator) == [6])
        let seen = try #require(store.history.token)
        try place.fixture.restore(backup, inPlace: isInPlace)
        // The next look finds the files of an earlier time.
        try await settings.commit { settings.other = 7 }
        let change = try #require(await iterator.next())
        #expect(change.missed.count == nil && change.snapshot?["other"] == .integer(7))
        #expect(change.snapshot?["count"] == SettingValue.integer(Int64(settings.count)))
        try await settings.commit { settings.other = 8 }
        #expect(try await next(1, of: &iterator) == [8])
        // Also for a follower that resumes with a token of the history that is gone.
        var other = store.history.changes(after: seen).makeAsyncIterator()
        #expect(await other.next()?.snapshot != nil)
    }

    @Test("A folder that was copied and has diverged is reported") func copiedFolder() async throws {
        let place = try ShortJournals(journalLimit: FileStorage.journalLimit)
        let store = try await place.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let common = try #require(store.history.token)
        let copy = place.fixture.folder.appending(path: "copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
        for (name, data) in try place.fixture.contents() { try data.write(to: copy.appending(path: name)) }
        for number in 2...4 { try await settings.commit { settings.count = number } }
        let other = try await place.open(at: copy.appending(path: "settings.json"))
        let settingsOfOther = try await other.group(CounterSettings.self)
        for number in 12...14 { try await settingsOfOther.commit { settingsOfOther.count = number } }
        let (own, foreign) = (try #require(store.history.token), try #require(other.history.token))
        #expect(own.history == foreign.history && own.position == foreign.position && own != foreign)
        var follower = other.history.changes(after: own).makeAsyncIterator()
        #expect(await follower.next()?.snapshot != nil)
        // The token that both have in common is valid in either.
        var after = other.history.changes(after: common).makeAsyncIterator()
        #expect(try await next(3, of: &after) == [12, 13, 14])
    }

    @Test("A file that was replaced by an older one is a change, also for one who was away") func olderFile()
        async throws
    {
        let place = try ShortJournals(journalLimit: FileStorage.journalLimit)
        let store = try await place.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        let older = try Data(contentsOf: place.fixture.file)
        try await settings.commit { settings.count = 2 }
        try await store.file.flush()
        let token = try #require(store.history.token)
        try await store.close()
        try older.write(to: place.fixture.file)
        let again = try await place.open()
        let settingsAgain = try await again.group(CounterSettings.self)
        try await settingsAgain.commit { settingsAgain.other = 3 }
        var iterator = again.history.changes(after: token).makeAsyncIterator()
        let change = try #require(await iterator.next())
        #expect(change.origin == .external && change.author == nil)
        #expect(change.missed.count == nil || change.mutations.contains { $0.key == "count" })
    }

    @Test("A token of another file, and one from nowhere, begin with a snapshot") func foreignTokens() async throws {
        for kind in HistoryPlace.Kind.allCases {
            let (place, other) = (try HistoryPlace(kind), try HistoryPlace(kind))
            let (store, foreign) = (try await place.open(), try await other.open())
            let settings = try await store.group(CounterSettings.self)
            let settingsOfOther = try await foreign.group(CounterSettings.self)
            try await settings.commit { settings.count = 1 }
            try await settingsOfOther.commit { settingsOfOther.count = 2 }
            var ahead = try #require(store.history.token)
            ahead.position += 100
            for token in [nil, foreign.history.token, ahead] {
                var iterator = store.history.changes(after: token).makeAsyncIterator()
                let first = try #require(await iterator.next())
                #expect(first.missed.count == nil && first.token == store.history.token && first.mutations.isEmpty)
                #expect(first.snapshot == SettingTree(["count": .integer(1)]))
            }
            var iterator = store.history.changes(after: nil).makeAsyncIterator()
            _ = await iterator.next()
            try await settings.commit { settings.other = 5 }
            #expect(try await next(1, of: &iterator) == [5])
        }
    }
}

extension FileStorageFixture {
    /// All files, by their names.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try names() {
            let url = folder.appending(path: name)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            contents[name] = try Data(contentsOf: url)
        }
        return contents
    }

    /// Puts files back as a program does that replaces each, and removes those that were not there.
    func restore(_ backup: [String: Data], inPlace: Bool = false) throws {
        for name in try contents().keys where backup[name] == nil {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        for (name, data) in backup { try data.write(to: folder.appending(path: name), options: inPlace ? [] : .atomic) }
    }
}
