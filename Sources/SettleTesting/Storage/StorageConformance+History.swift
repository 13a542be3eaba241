import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The transactions that a `HistoryStorage` reports.
extension StorageConformance {
    var historyChecks: [Check] {
        let checks: [(String, (Opened) async throws -> Void)] = [
            ("The records after a token are those of all later batches, oldest first", tellsRecordsAfter),
            ("The records before a token are those of all earlier batches, newest first", tellsRecordsBefore),
            ("For the token of another history, the records after it are unknown", knowsItsTokens),
            ("No value that is withheld is in the history", withholds),
            ("No value that is forgotten is in the history, and what is stored stays", forgets),
        ]
        return checks.map { promise, run in
            Check(promise: promise) { number in
                let storage = try await opened(number)
                do {
                    guard storage.hasHistory else { throw LeftOut("it is no `HistoryStorage`") }
                    try await storage.keepHistory(.keep())
                    try await run(storage)
                } catch {
                    await storage.close()
                    throw error
                }
                await storage.close()
            }
        }
    }

    private func tellsRecordsAfter(_ storage: Opened) async throws {
        let start = try await appendRecorded("a", nil, 1, to: storage)
        for (key, old, new) in Self.later { _ = try await appendRecorded(key, old, new, to: storage) }
        let records = try await records(of: storage, after: start)
        try expect(records, [("b", 1), ("a", 2), ("c", 3)])
        guard let end = records.last?.token else { return }
        guard end == storage.token else { throw Mismatch("the last one has another token than the storage") }
        let rest = try await storage.records(after: end, limit: 1)
        guard rest == [] else { throw Mismatch("after the end it returns \(String(describing: rest))") }
    }

    private func tellsRecordsBefore(_ storage: Opened) async throws {
        guard storage.keepsHistory else { throw LeftOut("it keeps no history by itself") }
        _ = try await appendRecorded("a", nil, 1, to: storage)
        for (key, old, new) in Self.later { _ = try await appendRecorded(key, old, new, to: storage) }
        let newest = try await storage.records(before: nil, limit: 2)
        guard newest.count <= 2 else { throw Mismatch("it returns \(newest.count) records instead of 2 at most") }
        var records = newest
        while records.count <= 10, let token = records.last?.entries.first?.token {
            let page = try await storage.records(before: token, limit: 2)
            if page.isEmpty { break }
            records += page
        }
        try expect(records.reversed(), [("a", 1), ("b", 1), ("a", 2), ("c", 3)])
    }

    private func knowsItsTokens(_ storage: Opened) async throws {
        var token = try await appendRecorded("a", nil, 1, to: storage)
        _ = try await appendRecorded("a", 1, 2, to: storage)
        token.history ^= 1
        guard let records = try await storage.records(after: token, limit: 10) else { return }
        throw Mismatch("it returns \(records)")
    }

    private func withholds(_ storage: Opened) async throws {
        let start = try await appendRecorded("a", nil, 1, to: storage)
        _ = try await appendRecorded("b", nil, 1, to: storage)
        try await storage.withhold(["b"])
        _ = try await appendRecorded("b", 1, 2, to: storage)
        try await expectNoValues(of: "b", in: storage, after: start)
    }

    private func forgets(_ storage: Opened) async throws {
        let start = try await appendRecorded("a", nil, 1, to: storage)
        _ = try await appendRecorded("b", nil, 2, to: storage)
        do throws(StorageError) {
            try await storage.forgetHistory(of: "b")
        } catch {
            guard error.code == .unsupported else { throw error }
            throw LeftOut("it refuses to forget")
        }
        try await expectNoValues(of: "b", in: storage, after: start)
        try await expect(storage, toHave: ["a": .integer(1), "b": .integer(2)])
    }

    private static let later: [(SettingKey, Int64?, Int64)] = [("b", nil, 1), ("a", 1, 2), ("c", nil, 3)]

    /// Appends a batch of one transaction.
    private func appendRecorded(
        _ key: SettingKey, _ old: Int64?, _ new: Int64, to storage: Opened
    ) async throws -> ChangeToken {
        let (old, new) = (old.map(SettingValue.integer), SettingValue.integer(new))
        let transaction = StoredTransaction(
            time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(), origin: .local,
            mutations: [StoredMutation(key: key, oldValue: old, newValue: new)])
        let batch = StorageBatch(
            revision: 1, values: [key: new], expectedValues: old.map { [key: $0] } ?? [:], transactions: [transaction])
        if let token = try await storage.append(batch, durability: .synced).token { return token }
        throw Mismatch("a receipt has no token")
    }

    private func records(of storage: Opened, after start: ChangeToken) async throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        while records.count <= 10 {
            let page = try await storage.records(after: records.last?.token ?? start, limit: 2)
            guard let page else { throw Mismatch("it does not know the records after its own token") }
            guard page.count <= 2 else { throw Mismatch("it returns \(page.count) records instead of 2 at most") }
            if page.isEmpty { return records }
            records += page
        }
        throw Mismatch("it returns more records than there are")
    }

    private func expect(_ records: [StoredRecord], _ expected: [(SettingKey, Int64)]) throws {
        let mutations = records.flatMap(\.transactions).flatMap { $0.mutations ?? [] }
        let found = mutations.map { "\($0.key): \($0.newValue.map { "\($0)" } ?? "nil")" }
        let wanted = expected.map { "\($0): \(SettingValue.integer($1))" }
        guard found != wanted else { return }
        throw Mismatch("expected \(wanted); found \(found)")
    }

    private func expectNoValues(of key: SettingKey, in storage: Opened, after start: ChangeToken) async throws {
        let records = try await records(of: storage, after: start) + storage.records(before: nil, limit: 10)
        for mutation in records.flatMap(\.transactions).flatMap({ $0.mutations ?? [] }) where mutation.key == key {
            guard mutation.oldValue == nil, mutation.newValue == nil else { throw Mismatch("it returns \(mutation)") }
        }
    }
}
