import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Changes that other processes of the same file have made.
extension UnlikelyEventsTests {
    /// Begins a new journal, and damages the record with all values in it.
    private func damageBase(_ writer: FileStorage) throws {
        #expect(try writer.checkpoint(SettingTree(), for: .erasing))
        let header = try Data(contentsOf: url(Self.journal)).withUnsafeBytes { try JournalHeader.decode($0) }
        try append(["b": .integer(2)], to: writer)
        let base = Int(header.base) + JournalRecordHeader.size + JournalKeySection.size
        try overwrite(Self.journal, at: base, with: [0xEE, 0xEE])
    }

    @Test("What another journal has lost is known to those who had the one before open") func lostBase() throws {
        let (writer, reader) = (try other(), try other())
        try writer.save(batch(1, ["a": .integer(1)]))
        _ = try reader.externalChanges()
        try damageBase(writer)
        let found = try told(reader)
        #expect(found.contains { if case .unusable = $0 { true } else { false } })
        #expect(values(reader).root == ["a": .integer(1), "b": .integer(2)])
        try append(["c": .integer(3)], to: reader)
        #expect(try fixture.freshLoad().tree.root == ["a": .integer(1), "b": .integer(2), "c": .integer(3)])
    }

    @Test("An edit beside a journal without its base is followed by another one") func editsWithoutBase() throws {
        let writer = try other()
        try writer.save(batch(1, ["a": .integer(1)]))
        try damageBase(writer)
        #expect(try writer.checkpoint(SettingTree(), for: .resting))
        writer.close()
        let reader = try other()
        for number in 5...7 {
            try fixture.write(#"{"a": \#(number), "b": 2}"#)
            _ = try reader.externalChanges()
            #expect(values(reader).root == ["a": .integer(Int64(number)), "b": .integer(2)])
        }
        try append(["c": .integer(3)], to: reader)
        #expect(
            try fixture.freshLoad().tree.root == ["a": .integer(7), "b": .integer(2), "c": .integer(3)])
    }

    @Test("Secrets that a process could not tell yet outlast edits that it takes back") func untoldSecrets() throws {
        let (writer, reader) = (try other(), try other())
        try append(["a": .integer(1)], to: writer)
        try writer.save(batch(2, ["b": .integer(1)]))
        _ = try reader.externalChanges()
        try reader.withhold(["hidden"])
        try writer.keepHistory(.keep())
        _ = try reader.externalChanges()
        for number in 5...7 {
            try fixture.write(#"{"a": \#(number), "b": 1}"#)
            _ = try reader.externalChanges()
        }
        #expect(values(reader).root == ["a": .integer(7), "b": .integer(1)])
        try append(["c": .integer(3)], to: reader)
        _ = try writer.externalChanges()
        #expect(writer.withheldKeys() == ["hidden"])
    }

    @Test("A removal that one process has found is known to those who see only the next journal") func resetJournal()
        throws
    {
        let setup = try other()
        try setup.save(batch(1, ["a": .integer(1)]))
        setup.close()
        try manager.removeItem(at: fixture.file)
        // Neither has ever had the file open.
        let writer = try other(journalLimit: 1 << 20)
        try append(["b": .integer(2)], to: writer)
        let reader = try other()
        #expect(reader.session.withLock { $0.state.isReset })
        #expect(try writer.checkpoint(SettingTree(), for: .erasing))
        try append(["c": .integer(3)], to: writer)
        _ = try reader.externalChanges()
        #expect(values(reader).root == ["b": .integer(2), "c": .integer(3)])
        #expect(try fixture.freshLoad().tree.root == ["b": .integer(2), "c": .integer(3)])
    }

    @Test("Unreported changes behind a swapped link outlast another journal there") func swappedLink() throws {
        for folder in ["one", "two"] {
            try manager.createDirectory(at: url(folder), withIntermediateDirectories: true)
            try fixture.write(#"{"a": "\#(folder)"}"#, to: "\(folder)/settings.json")
        }
        let calls = FaultySystemCalls(synchronizes: false)
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "one/settings.json")
        let storage = try other(calls)
        try storage.append(batch(1, ["j": .integer(9)]), durability: .buffered)
        let second = FileStorage(at: url("two/settings.json"), calls: FaultySystemCalls(synchronizes: false))
        _ = try second.load()
        try append(["b": .integer(2)], to: second)
        try manager.createSymbolicLink(atPath: url("new").path, withDestinationPath: "two/settings.json")
        try FileOperations(POSIXSystemCalls()).rename(FilePath(url("new").path), to: FilePath(fixture.file.path))
        _ = try storage.externalChanges()
        #expect(values(storage)["j"] == .integer(9))
        #expect(try second.checkpoint(SettingTree(), for: .erasing))
        _ = try storage.externalChanges()
        #expect(values(storage)["j"] == .integer(9) && values(storage)["b"] == .integer(2))
        try append(["k": .integer(1)], to: storage)
        #expect(try FileStorage(at: url("two/settings.json")).load().tree["j"] == .integer(9))
    }

    @Test("A link is not followed in the middle of a transaction") func linkUnderLock() throws {
        try fixture.write(#"{"a": 1}"#, to: "one.json")
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "one.json")
        let storage = try other()
        try storage.lock()
        try append(["b": .integer(2)], to: storage)
        storage.unlock()
        #expect(try FileStorage(at: url("one.json")).load().tree.root == ["a": .integer(1), "b": .integer(2)])
    }
}
