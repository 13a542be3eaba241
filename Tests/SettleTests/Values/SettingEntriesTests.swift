import Foundation
import Settle
import SettleTesting
import Testing

/// "é" in both of its Unicode spellings.
private let (composed, decomposed) = ("\u{E9}", "e\u{301}")

private struct Composed: SettingsGroup {
    @Setting("caf\u{E9}") var cups = 0
}

private struct Both: SettingsGroup {
    @Setting("caf\u{E9}") var composed = 0
    @Setting("cafe\u{301}") var decomposed = 0
}

private struct Table: SettingsGroup {
    @Setting var table: [String: Int] = [:]
}

private struct Lock: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attemptCount = 0
}

private struct App: SettingsGroup {
    let passcode = Lock()
}

@Suite(.timeLimit(.minutes(10))) struct SettingEntriesTests {
    @Test("Names are told apart by their bytes") func namesToldApart() {
        var entries: SettingValue.Entries = [composed: .integer(1)]
        #expect(entries[decomposed] == nil)
        entries[decomposed] = .integer(2)
        #expect(entries.count == 2)
        #expect(entries[composed] == .integer(1))
        #expect(entries.updateValue(.integer(3), forKey: composed) == .integer(1))
        #expect(entries.removeValue(forKey: decomposed) == .integer(2))
        #expect(entries == [composed: .integer(3)])
        #expect(entries != [decomposed: .integer(3)])
        #expect(entries.description == "[\"\(composed)\": \(SettingValue.integer(3))]")
    }

    @Test(
        "A file with two names that Unicode calls equivalent is not damaged",
        arguments: [FileFormat.json, .propertyListXML, .propertyListBinary])
    func fileTwoNames(format: FileFormat) throws {
        let tree = SettingTree([
            composed: .integer(1), decomposed: .integer(2),
            "inner": .dictionary([composed: .integer(3), decomposed: .integer(4)]),
        ])
        #expect(try format.decode(format.encode(tree)) == tree)
    }

    @Test("A setting is read and written under its own spelling, and the other one stays")
    func settingReadWritten() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        try Data("{\"caf\(composed)\": 1, \"caf\(decomposed)\": 2}".utf8).write(to: file)
        do {
            let store = try await SettingsStore.open(at: file)
            #expect(store.file.loadOutcome == .intact)
            let group = try await store.group(Composed.self)
            #expect(group.cups == 1)
            group.cups = 5
            #expect(try store.keys.value(forKey: "caf\(decomposed)", as: Int.self) == 2)
            try store.keys.setValue(7, forKey: "caf\(decomposed)")
            #expect(group.cups == 5)
            try await store.close()
        }
        let tree = try FileFormat.json.decode([UInt8](Data(contentsOf: file)))
        #expect(tree.root == ["caf\(composed)": .integer(5), "caf\(decomposed)": .integer(7)])
    }

    @Test("Two settings of one group may have both, and each is saved by itself") func twoSettingsOne() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let group = try await store.group(Both.self)
        try group.update {
            group.composed = 1
            group.decomposed = 2
        }
        try await store.flush()
        #expect(storage.tree.root == ["caf\(composed)": .integer(1), "caf\(decomposed)": .integer(2)])
        storage.simulateExternalChange([.path("caf\(decomposed)"): .integer(9)])
        for await value in group.$decomposed where value == 9 { break }
        #expect(group.composed == 1)
    }

    @Test("A dictionary in Swift can't hold both, so it refuses to lose one") func dictionarySwiftHold() async throws {
        let table: SettingValue = .dictionary([composed: .integer(1), decomposed: .integer(2)])
        let storage = InMemoryStorage(SettingTree(["table": table]))
        let store = try await SettingsStore.open(storage: storage)
        let group = try await store.group(Table.self)
        #expect(group.table.isEmpty)
        try await store.flush()
        #expect(storage.tree.root == ["table": table])
    }

    @Test("A combining mark after a dot does not get a key past its owner, or past the one around it")
    func combiningMarkAfter()
        async throws
    {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let app = try await store.group(App.self)
        app.passcode.attemptCount = 3
        for key in ["passcode.attemptCount.\u{301}x", "passcode.\u{301}attemptCount.x"] {
            let isWithin = key.utf8.starts(with: "passcode.attemptCount.".utf8)
            let error = thrown { try store.keys.setValue(1, forKey: key) } as? SettingsError
            #expect(error?.code == (isWithin ? .protected : nil))
        }
        #expect(app.passcode.attemptCount == 3)
    }
}
