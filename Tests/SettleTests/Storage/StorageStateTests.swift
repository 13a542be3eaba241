import Settle
import Testing

/// What a storage that is read and written as a whole gets from its state.
@Suite struct StorageStateTests {
    private struct Failure: Error {}
    private let batch = StorageBatch(revision: 1, values: ["a": .integer(1)])

    private func refusal(_ state: inout StorageState, _ batch: StorageBatch) -> StorageError? {
        do throws(StorageError) {
            _ = try state.append(batch) { _ in Issue.record("It writes.") }
            return nil
        } catch {
            return error
        }
    }

    @Test("Nothing is written before a load has succeeded, nor after one that has failed")
    func nothingWrittenBefore() throws {
        var state = StorageState()
        #expect(refusal(&state, batch)?.code == .unreadable)
        _ = try state.load { nil }
        let error = #expect(throws: StorageError.self) { try state.load { throw Failure() } }
        #expect(error?.code == .unreadable && refusal(&state, batch)?.code == .unreadable)
    }

    @Test("Only what was never stored is absent") func neverStoredAbsent() throws {
        var state = StorageState()
        #expect(try state.load { nil }.outcome == .absent)
        #expect(try state.load { SettingTree() }.outcome == .intact)
    }

    @Test("Each batch is written once, over everything that was stored") func eachBatchWritten() throws {
        var state = StorageState()
        _ = try state.load { SettingTree(["a": .integer(0), "b": .integer(0)]) }
        var written: [SettingTree] = []
        let second = StorageBatch(revision: 2, values: ["b": nil])
        for batch in [batch, batch, second, StorageBatch(revision: 2, values: [:])] {
            let receipt = try state.append(batch) { written.append($0) }
            #expect(receipt.durability == .synced && receipt.position == StoragePosition(batch.revision))
        }
        #expect(written.map(\.root) == [["a": .integer(1), "b": .integer(0)], ["a": .integer(1)]])
    }

    @Test("What could not be written is not known as stored, and may be written again")
    func couldWrittenKnown() throws {
        var state = StorageState()
        _ = try state.load { nil }
        let unknown = StorageError(.unavailable, "The answer was lost.", isOutcomeUnknown: true)
        let lost = #expect(throws: StorageError.self) { try state.append(batch) { _ in throw unknown } }
        #expect(lost == unknown)
        let failed = #expect(throws: StorageError.self) { try state.append(batch) { _ in throw Failure() } }
        #expect(failed?.code == .writeFailed && failed?.isOutcomeUnknown == false)
        var written: [SettingTree] = []
        _ = try state.append(StorageBatch(revision: 2, values: ["b": .integer(2)])) { written.append($0) }
        _ = try state.append(batch) { written.append($0) }
        #expect(written.map(\.root) == [["b": .integer(2)], ["a": .integer(1), "b": .integer(2)]])
    }

    @Test("What no storage can hold is refused, and what is closed stays closed") func storageHoldRefused() throws {
        var state = StorageState()
        _ = try state.load { nil }
        #expect(refusal(&state, StorageBatch(revision: 1, values: ["b": .number("x")]))?.code == .unsupportedValue)
        state.close()
        #expect(refusal(&state, batch)?.code == .closed)
        #expect(throws: StorageError.self) { try state.load { nil } }
    }
}
