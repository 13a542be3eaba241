import Settle

extension StorageConformance {
    func keepsOldValues(_ number: Int, _ setFailing: SetFailing) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        try failAppend(of: batch(2, ["a": .integer(2), "b": .integer(2)]), to: storage, setFailing)
        storage.close()
        try setFailing(storage, false)
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(1)]))
    }

    func appendsAgain(_ number: Int, _ setFailing: SetFailing) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1), "c": .integer(1)]), durability: .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        try failAppend(of: failed, to: storage, setFailing)
        try setFailing(storage, false)
        try storage.append(failed, durability: .synced)
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(2), "b": .integer(2), "c": .integer(1)]))
    }

    func appendsMerged(_ number: Int, _ setFailing: SetFailing) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1), "c": .integer(1)]), durability: .synced)
        try failAppend(of: batch(2, ["a": .integer(2), "b": .integer(2)]), to: storage, setFailing)
        try setFailing(storage, false)
        try storage.append(batch(3, ["a": nil, "b": .integer(3)]), durability: .synced)
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["b": .integer(3), "c": .integer(1)]))
    }

    private func failAppend(of batch: StorageBatch, to storage: any Storage, _ setFailing: SetFailing) throws {
        try setFailing(storage, true)
        do {
            try storage.append(batch, durability: .synced)
        } catch {
            return
        }
        throw Mismatch("the append was to fail, but did not")
    }
}
