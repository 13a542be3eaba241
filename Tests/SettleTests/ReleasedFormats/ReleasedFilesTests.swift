import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Settings files that released versions have written are opened, followed, migrated and resumed.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ReleasedFilesTests {
    private static let area = "files"
    private static let fixtures = FormatFixture.all(area)

    @Test("The files of all released versions are there, as they were written") func present() throws {
        #expect(try FormatFixture.differences(Self.area) == [])
        for version in FormatFixture.versions() {
            let names = Self.fixtures.filter { $0.version == version }.map(\.name)
            #expect(names.contains("history") && names.contains("torn"), "\(version)")
        }
    }

    @Test("A program finds what the released version found, and changes nothing by that", arguments: fixtures)
    func found(_ fixture: FormatFixture) throws {
        let folder = try Copy(of: fixture)
        let before = try folder.files
        let found = try FileObservation.tree(of: folder.name, in: folder.url, after: fixture.tokens).reread()
        #expect(try found == fixture.expected(), "\(found.jsonText)")
        #expect(try folder.files == before)
    }

    @Test("A program appends, another follows it, and what was there stays", arguments: fixtures)
    func appended(_ fixture: FormatFixture) throws {
        let folder = try Copy(of: fixture)
        let one = folder.storage()
        var other = folder.storage()
        let contents = try one.load()
        var tree = try other.load().tree
        try one.append(batch(1, ["appended": .integer(1)]), durability: .synced)
        if contents.outcome == .intact {
            for change in try other.externalChanges() { change.apply(to: &tree) }
        } else {
            // It has been repaired, and another process starts.
            other.close()
            other = folder.storage()
            tree = try other.load().tree
        }
        #expect(tree["appended"] == .integer(1))
        try other.append(batch(2, ["more": .integer(2)]), durability: .synced)
        for change in try one.externalChanges() { change.apply(to: &tree) }
        #expect(tree["more"] == .integer(2))
        #expect(try one.checkpoint(tree, for: .requested))
        for storage in [one, other] { storage.close() }
        var expected = contents.tree
        expected.apply(["appended": .integer(1), "more": .integer(2)])
        let again = folder.storage()
        #expect(try again.load() == StorageContents(tree: expected, outcome: .intact))
        again.close()
    }

    @Test("Tokens that a program has saved lead to what is stored from now on", arguments: fixtures)
    func resumed(_ fixture: FormatFixture) throws {
        let folder = try Copy(of: fixture)
        let storage = folder.storage()
        let contents = try storage.load()
        let tokens = try fixture.tokens
        let known = try tokens.map { try storage.records(after: $0, limit: 1_000) }
        try storage.append(batch(1, ["appended": .integer(1)]), durability: .synced)
        let newest = try #require(storage.token)
        for (token, before) in zip(tokens, known) {
            let after = try storage.records(after: token, limit: 1_000)
            // Of a damaged journal nothing can be resumed.
            guard contents.outcome == .intact, let before else { continue }
            let records = try #require(after, "\(token)")
            #expect(records.last?.token == newest && records.count > before.count)
            #expect(records.last?.transactions.last?.mutations?.contains { $0.key == "appended" } == true)
        }
        if contents.outcome == .intact, contents.token?.history == newest.history {
            #expect(known.contains { $0 != nil })
        }
        storage.close()
    }

    @Test("A newer program migrates it once, and one that knows no step is refused", arguments: fixtures)
    func migrated(_ fixture: FormatFixture) async throws {
        let folder = try Copy(of: fixture)
        let storage = folder.storage()
        var expected = try storage.load().tree
        storage.close()
        let recorded = try #require(MigrationRecord(in: expected).names)
        let new = SettingsMigration("of a later version") { tree in
            tree["migrated"] = tree["migrated"] == nil ? .bool(true) : .string("again")
        }
        let steps = recorded.map { SettingsMigration($0) { $0["migrated"] = .string("again") } } + [new]
        func open() async throws {
            let store = try await SettingsStore.open(
                storage: folder.storage(), configuration: .init(clock: ManualClock()), migrations: steps)
            try await store.close()
        }
        // What a person has broken is set aside first: it may have had newer values.
        if fixture.name.hasPrefix("damaged-file") { await #expect(throws: SettingsError.self) { try await open() } }
        for _ in 0..<2 { try await open() }
        let again = folder.storage()
        let found = try again.load().tree
        // How much time is left is measured by the clock of this boot now.
        if expected[UnconfirmedCommit.key] != nil { expected[UnconfirmedCommit.key] = found[UnconfirmedCommit.key] }
        expected.apply([
            "migrated": .bool(true),
            .path(MigrationRecord.name, "migrations"): .array(steps.map { .string($0.name) }),
        ])
        #expect(found == expected, "\(found.jsonText)")
        var late = batch(9, ["late": .integer(1)])
        late.conditions = [.migrated(within: recorded)]
        let error = #expect(throws: StorageError.self) { try again.append(late, durability: .synced) }
        #expect(error?.code == .migrated)
        again.close()
    }

    @Test("A commit that waits for a confirmation is confirmed, or taken back", arguments: [true, false])
    func unconfirmed(isConfirmed: Bool) async throws {
        let fixtures = Self.fixtures.filter { $0.name == "unconfirmed" }
        #expect(!fixtures.isEmpty)
        for fixture in fixtures {
            let folder = try Copy(of: fixture)
            let store = try await SettingsStore.open(
                storage: folder.storage(), configuration: .init(clock: ManualClock()))
            #expect(store.unconfirmed.change?.keys == ["port"] && store.unconfirmed.change?.author == "alice")
            if isConfirmed {
                try await store.unconfirmed.confirm()
            } else {
                #expect(try await store.unconfirmed.revert().conflicts.isEmpty)
            }
            try await store.close()
            let storage = folder.storage()
            #expect(try storage.load().tree == SettingTree(["port": .integer(isConfirmed ? 8443 : 443)]))
            storage.close()
        }
    }

    /// A copy of a fixture.
    private struct Copy {
        let temporary: TemporaryFolder
        let name: String

        init(of fixture: FormatFixture) throws {
            temporary = try TemporaryFolder()
            try fixture.copy(to: temporary.url)
            try FileManager.default.removeItem(at: temporary.url.appending(path: FileFixture.tokensName))
            name = try fixture.names().contains { $0.hasSuffix(".plist") } ? "settings.plist" : "settings.json"
        }

        var url: URL { temporary.url }
        var files: [String: Data] { get throws { try FormatFixture.files(in: url) } }

        /// A storage of its own, as another process has it.
        func storage() -> FileStorage {
            FileStorage(at: url.appending(path: name), calls: FaultySystemCalls(synchronizes: false))
        }
    }

    // MARK: Writing

    @Test("A new version writes its files", .enabled(if: FormatFixture.target != nil)) func writeFixtures() throws {
        try FormatFixture.beginWriting(Self.area)
        for fixture in FileFixture.all {
            let folder = try FixtureFolder(fixture.file)
            try fixture.make(folder)
            var files = try FormatFixture.files(in: folder.url)
            let foreign = ChangeToken(history: 1, position: 2, checksum: 3)
            let tokens = folder.tokens + [foreign]
            files[FileFixture.tokensName] = Data(tokens.map { "\($0)\n" }.joined().utf8)
            let found = try FileObservation.tree(of: fixture.file, in: folder.url, after: tokens)
            #expect(found.root["outcome"] == .string(fixture.outcome), "\(fixture.name): \(found.jsonText)")
            if let values = fixture.values {
                let values = SettingValue.dictionary(values.root).typed
                #expect(found.root["values"] == values, "\(fixture.name): \(found.jsonText)")
            }
            try FormatFixture.write(fixture.name, in: Self.area, files, expected: found)
        }
        try FormatFixture.endWriting(Self.area)
    }
}

extension FileFixture {
    /// The name of the file with the tokens that programs have saved, one a line.
    static let tokensName = "tokens.txt"
}

extension FormatFixture {
    /// The tokens that programs have saved.
    fileprivate var tokens: [ChangeToken] {
        get throws {
            try text(of: FileFixture.tokensName).split(separator: "\n").map { try #require(ChangeToken(String($0))) }
        }
    }
}
