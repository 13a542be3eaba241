import Foundation
import SettleTestSupport
import SettleTesting

@testable import Settle

/// A settings file that each version writes once, to be read by all later ones.
struct FileFixture: Sendable {
    /// The name of its folder.
    let name: String
    /// The name of the settings file.
    var file = "settings.json"
    /// The outcome of a load; see ``FileObservation``.
    let outcome: String
    /// The values that are found; `nil` if they depend on how the format spells them.
    let values: SettingTree?
    let make: @Sendable (FixtureFolder) throws -> Void

    init(
        _ name: String, file: String = "settings.json", outcome: String = "intact", values: SettingTree?,
        _ make: @escaping @Sendable (FixtureFolder) throws -> Void
    ) {
        (self.name, self.file, self.outcome, self.values, self.make) = (name, file, outcome, values, make)
    }

    static let all: [FileFixture] = formats + journals + interrupted + damaged + besides

    // MARK: Formats

    /// A value of each kind that all formats have.
    static let every = SettingTree([
        "flag": .bool(true), "count": .integer(-5), "largest": .integer(.max), "ratio": .real(0.1),
        "text": .string("ü\n“x” 😀"), "when": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)),
        "bytes": .data(Data([0, 127, 255])), "list": .array([.integer(1), .string("b"), .array([])]),
        "group": .dictionary(["inner": .dictionary(["deep": .bool(false)])]), "none": .null,
        "empty": .dictionary([:]),
    ])

    private static let formats: [FileFixture] = [true, false].flatMap { hasJournal in
        [
            fixture(of: .json, "json", "settings.json", hasJournal),
            fixture(of: .strictJSON, "strict-json", "settings.json", hasJournal),
            fixture(of: .propertyListXML, "xml", "settings.plist", hasJournal),
            fixture(of: .propertyListBinary, "binary", "settings.plist", hasJournal),
        ]
    }

    private static func fixture(
        of format: FileFormat, _ name: String, _ file: String, _ hasJournal: Bool
    ) -> FileFixture {
        FileFixture(
            hasJournal ? name : "\(name)-alone", file: file, values: hasJournal ? every : nil
        ) { folder in
            let storage = try folder.open(format: format)
            var values: [SettingKey: SettingValue?] = [:]
            for (name, value) in every.root { values.updateValue(value, forKey: SettingKey(name: name)) }
            try folder.store(values, in: storage)
            try folder.checkpoint(storage)
            storage.close()
            if hasJournal { return }
            // All of it may be in the file only.
            try folder.remove(folder.journal)
        }
    }

    // MARK: Journals

    private static let journals: [FileFixture] = [
        FileFixture("no-history", values: SettingTree(["a": .integer(3), "b": .string("x")])) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1)], in: storage)
            try folder.store(["a": .integer(2), "b": .string("x")], in: storage, by: "bob")
            try folder.store(["a": .integer(3)], in: storage)
            try folder.checkpoint(storage)
            storage.close()
        },
        FileFixture(
            "history",
            values: SettingTree([
                "a": .integer(1), "b": .integer(20), "g": .dictionary(["x": .bool(true)]), "token": .string("hush"),
            ])
        ) { folder in
            let storage = try folder.open(hasShortJournal: true)
            try storage.keepHistory(.keep(transactions: 1_000, for: .days(100_000_000)))
            try storage.withhold(["token"])
            try folder.store(["a": .integer(1), "token": .string("hush")], in: storage, by: "alice")
            for number in 1...20 { try folder.store(["b": .integer(Int64(number))], in: storage) }
            // These are the history in front of another journal then.
            try folder.checkpoint(storage, for: .requested)
            guard !JournalParts(Data(try folder.bytes(of: folder.journal))).past.isEmpty else {
                throw FixtureProblem("The journal has no past.")
            }
            let token = try folder.store(["a": .integer(2)], in: storage, by: "bob")
            try folder.store(["a": .integer(1)], in: storage, by: "alice") { transaction in
                transaction.undone = token
                transaction.reason = "not confirmed within 5 minutes"
            }
            try folder.store(["c": .integer(1)], in: storage) { $0.origin = .migration }
            try folder.store(["c": nil], in: storage) { $0.origin = .reset }
            try folder.store(["g.x": .bool(true)], in: storage) { $0.isOwners = true }
            storage.close()
        },
        FileFixture(
            "edited-by-hand", values: SettingTree(["a": .integer(5), "c": .array([.integer(1)])])
        ) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1), "b": .integer(1)], in: storage)
            try folder.checkpoint(storage)
            storage.close()
            try folder.write("{\n  // By hand.\n  \"a\": 5,\n  \"c\": [1],\n}\n", to: folder.name)
        },
        FileFixture("last-good", values: SettingTree(["port": .string("x")])) { folder in
            var storage = try folder.open()
            try folder.store(["port": .integer(8080)], in: storage)
            try folder.checkpoint(storage)
            storage.close()
            try folder.write("{\"port\": \"x\"}\n", to: folder.name)
            storage = try folder.open()
            try storage.keep(["port": .integer(8080)])
            storage.close()
        },
    ]

    // MARK: Ends of processes

    private static let interrupted: [FileFixture] = [
        FileFixture("not-written", values: SettingTree(["a": .integer(1), "b": .integer(2)])) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1)], in: storage)
            try folder.checkpoint(storage)
            try folder.store(["b": .integer(2)], in: storage)
            storage.close()
        },
        FileFixture("killed-in-checkpoint", values: SettingTree(["a": .integer(1), "b": .integer(2)])) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1)], in: storage)
            try folder.checkpoint(storage)
            try folder.store(["b": .integer(2)], in: storage)
            let (url, found) = (folder.url, LockedValue<[String: Data]>([:]))
            folder.calls.beforeNext(.exchange) {
                let files = try? FormatFixture.files(in: url)
                found.withLock { $0 = files ?? [:] }
            }
            try folder.checkpoint(storage)
            storage.close()
            let files = found.withLock { $0 }
            guard !files.isEmpty else { throw FixtureProblem("Nothing was exchanged.") }
            try folder.replace(by: files)
        },
        FileFixture("torn", values: SettingTree(["a": .integer(1)])) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1)], in: storage)
            try folder.checkpoint(storage)
            try folder.store(["a": .integer(2), "b": .integer(2)], in: storage)
            storage.close()
            try folder.damageJournal { bytes, records, end in
                for index in (records[records.count - 1].offset + 20)..<end { bytes[index] = 0 }
            }
        },
    ]

    // MARK: Damage

    private static let damaged: [FileFixture] = [
        FileFixture(
            "damaged-record", outcome: "recovered in part",
            values: SettingTree(["a": .integer(1), "b": .integer(1), "c": .integer(3)])
        ) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1), "b": .integer(1)], in: storage)
            try folder.checkpoint(storage)
            try folder.store(["b": .integer(2)], in: storage)
            try folder.store(["c": .integer(3)], in: storage)
            storage.close()
            try folder.damageJournal { bytes, records, _ in
                let index = records.firstIndex { _, record in
                    record.batch?.entries == [JournalEntry(key: "b", value: .integer(2))]
                }
                guard let index else { throw FixtureProblem("The record is missing.") }
                bytes[records[index + 1].offset - 1] ^= 0x55
            }
        },
        FileFixture(
            "damaged-journal", outcome: "recovered in part",
            values: SettingTree(["a": .integer(1), "b": .integer(2)])
        ) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(1), "b": .integer(2)], in: storage)
            try folder.checkpoint(storage)
            storage.close()
            try folder.damageJournal { bytes, _, _ in for index in 0..<32 { bytes[index] = 0xFF } }
        },
        FileFixture("damaged-file", outcome: "recovered", values: SettingTree(["a": .integer(2)])) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(2)], in: storage)
            try folder.checkpoint(storage)
            storage.close()
            try folder.write("{\n  \"a\": 3,\n  oops\n}\n", to: folder.name)
        },
        FileFixture(
            "damaged-file-alone", outcome: "recovered in part", values: SettingTree(["a": .integer(1)])
        ) { folder in
            let storage = try folder.open()
            for number in 1...2 {
                try folder.store(["a": .integer(Int64(number))], in: storage)
                try folder.checkpoint(storage)
            }
            storage.close()
            try folder.remove(folder.journal)
            try folder.write("{\n  \"a\": 3,\n  oops\n}\n", to: folder.name)
        },
        FileFixture("removed-file", outcome: "removed", values: SettingTree()) { folder in
            let storage = try folder.open()
            try folder.store(["a": .integer(2)], in: storage)
            try folder.checkpoint(storage)
            storage.close()
            try folder.remove(folder.name)
        },
    ]

    // MARK: Beside the settings

    private static let withState = SettingTree([
        "a": .integer(1), "window": .dictionary(["x": .integer(10), "y": .integer(20)]),
    ])

    private static let besides: [FileFixture] = [
        FileFixture("state", values: withState) { folder in try makeState(folder) },
        FileFixture("state-removed", outcome: "recovered", values: withState) { folder in
            try makeState(folder)
            try folder.remove("settings.state.json")
        },
        FileFixture("migrated", values: nil) { folder in
            let storage = try folder.open()
            try folder.store(
                [
                    .path(MigrationRecord.name, "migrations"): .array([.string("rename theme to look.theme")]),
                    "look.theme": .string("dark"),
                ], in: storage)
            try folder.checkpoint(storage)
            storage.close()
        },
        FileFixture("unconfirmed", values: nil) { folder in
            let storage = try folder.open()
            let change = StoredMutation(key: "port", oldValue: .integer(443), newValue: .integer(8443))
            // A hundred years.
            let commit = UnconfirmedCommit(
                [change], by: "alice", within: .seconds(100 * 365 * 86_400),
                at: MachineMoment(boot: "fixture", uptime: .seconds(100), time: FixtureFolder.time))
            try folder.store(["port": .integer(443)], in: storage)
            try folder.store([UnconfirmedCommit.key: commit.record, "port": .integer(8443)], in: storage, by: "alice")
            try folder.checkpoint(storage)
            storage.close()
        },
    ]

    private static func makeState(_ folder: FixtureFolder) throws {
        let storage = try folder.open()
        storage.keepApart(state: ["window"], from: ["a"])
        try folder.store(["a": .integer(1), "window.x": .integer(10), "window.y": .integer(20)], in: storage)
        try folder.checkpoint(storage)
        storage.close()
    }
}
