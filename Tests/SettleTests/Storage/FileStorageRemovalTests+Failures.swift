import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Failures while removed files are stored again.
extension FileStorageRemovalTests {
    @Test("A durable call that can't store the values again throws, and the next one that can stores them")
    func failing() throws {
        for call in [Call.syncedAppend, .emptySyncedAppend, .checkpoint, .closing] {
            let process = try process()
            try Removal.both.happen(to: file)
            process.calls.fail(every: .update, with: .noSpace)
            #expect(throws: StorageError.self, "\(call)") { try call.happen(to: process) }
            process.calls.heal()
            try process.append([:], .synced)
            #expect(try freshTree()["g"] == Self.start["g"], "\(call)")
            process.storage.close()
            try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        }
    }

    @Test(
        "No acknowledged value is lost, whichever call fails while removed files are stored again",
        arguments: CallTrouble.all)
    func everyCall(trouble: CallTrouble) throws {
        for removal in [Removal.file, .journal, .both, .folder] {
            var call = 0
            var wasHit = true
            while wasHit {
                let temporary = try TemporaryFolder()
                let file = temporary.url.appending(path: "app/settings.json")
                let test = FileStorageRemovalTests(temporary, file)
                let process = try test.process()
                try removal.happen(to: file)
                process.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
                let comment: Comment = "\(removal), call \(call), \(trouble)"
                var isAcknowledged = false
                do {
                    try process.append(["c": .integer(1)], .synced)
                    isAcknowledged = true
                } catch {}
                wasHit = process.calls.faultCount > 0
                process.calls.heal()
                if isAcknowledged { #expect(try test.freshTree() == process.known, comment) }
                _ = try process.look()
                try process.append(["c": .integer(1)], .synced)
                #expect(try test.freshTree() == process.known, comment)
                #expect(process.known["g.y"] == .integer(4) && process.known["b"] == .integer(5), comment)
                call += 1
            }
        }
    }
}
