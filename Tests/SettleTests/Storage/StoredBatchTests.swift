import Foundation
import Settle
import SettleTesting
import Testing

@Suite struct StoredBatchTests {
    // MARK: Coding

    @Test("A stored batch comes back exactly, through JSON and property lists") func codable() throws {
        let entry = StoredBatch(everything, token: token(7))
        #expect(try JSONDecoder().decode(StoredBatch.self, from: JSONEncoder().encode(entry)) == entry)
        let list = PropertyListEncoder()
        list.outputFormat = .binary
        #expect(try PropertyListDecoder().decode(StoredBatch.self, from: list.encode(entry)) == entry)
    }

    @Test("A transaction that stands for none is refused") func countOfNone() throws {
        let text = #"{"time": 1, "origin": "local", "count": 0}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(StoredTransaction.self, from: Data(text.utf8)) }
        let one = text.replacingOccurrences(of: "0}", with: "1}")
        #expect(try JSONDecoder().decode(StoredTransaction.self, from: Data(one.utf8)).count == 1)
    }

    @Test("Whole fractions, integers, dates, data, texts of them, null and removed values stay apart")
    func kinds() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.1)
        let kinds: [SettingValue?] = [
            .integer(1), .real(1), .number("1"), .bool(true), .string("1"), .date(date), .string(date.ISO8601Format()),
            .data(Data([1])), .string("AQ=="), .null, nil, .array([]), .dictionary([:]), .real(.infinity), .real(-0.0),
        ]
        var values: [SettingKey: SettingValue?] = [:]
        for (number, value) in kinds.enumerated() { values.updateValue(value, forKey: .path("\(number)")) }
        let found = try copy(StoredBatch(StorageBatch(revision: 1, values: values)))
        #expect(found.values == values)
        #expect(found.values["10"] == .some(nil))
        let zero = found.values["14"].flatMap { value in if case .real(let zero)? = value { zero } else { nil } }
        #expect(zero?.sign == .minus)
    }

    @Test("Keys that Unicode takes for equal stay apart, and names may be empty or have dots") func keys() throws {
        let keys: [SettingKey] = [.path("\u{E9}"), .path("e\u{301}"), .path(""), .path("a.b"), .path("a", "b")]
        let values = Dictionary(uniqueKeysWithValues: keys.map { ($0, SettingValue?.some(.string($0.description))) })
        let found = try copy(StoredBatch(StorageBatch(revision: 1, values: values)))
        #expect(found.values == values && found.values.count == keys.count)
    }

    @Test("JSON shows who has changed which keys, and leaves out what has its default") func readable() throws {
        let batch = StorageBatch(
            id: StorageBatch.ID(store: 1, number: 2), revision: 1, values: ["b": .integer(1), "a": nil], author: "alice"
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(StoredBatch(batch)), as: UTF8.self)
        let bytes = Data(SettingValue.integer(1).bytes).base64EncodedString()
        #expect(
            text == """
                {"author":"alice","changes":[{"key":"a"},{"key":"b","value":"\(bytes)"}],"id":{"number":2,"store":1}}
                """)
    }

    @Test("What is no batch is refused") func damaged() throws {
        let origin = #"{"id":{"number":2,"store":1},"changes":[],"transactions":[{"time":1,"origin":"nobody"}]}"#
        let value = #"{"id":{"number":2,"store":1},"changes":[{"key":"a","value":"/w=="}]}"#
        for text in [origin, value, "{}"] {
            #expect(throws: (any Error).self) { try JSONDecoder().decode(StoredBatch.self, from: Data(text.utf8)) }
        }
    }

    // MARK: Changes

    @Test("The batches of others are changes, in their order, with author and token") func others() {
        let log = [
            entry(1, "b", ["a": .integer(1)]), entry(2, "b", ["a": .integer(2), "c": nil], author: "alice"),
        ]
        let changes = log.externalChanges { _ in false }
        #expect(changes.map(\.content) == log.map { .values($0.values) })
        #expect(changes.map(\.author) == [nil, "alice"] && changes.map(\.batch) == [nil, nil])
        #expect(changes.map(\.token) == [token(1), token(2)])
    }

    @Test("An own batch is no change, and replaces what it has overwritten") func own() {
        let log = [
            entry(1, "b", ["a": .integer(1), "b.c": .integer(1)]), entry(2, "b", ["b.d": .integer(1)]),
            entry(3, "a", ["a": .integer(2), "b": .dictionary([:]), "e": .integer(2)]),
            entry(4, "b", ["e": .integer(3)]),
        ]
        let changes = log.externalChanges { $0.id.store == id(0, "a").store }
        #expect(changes.map(\.content) == [.values(["a": .integer(2)]), .values(["e": .integer(3)])])
    }

    @Test("An own batch of unknown outcome is a change with its identity, which later own batches overwrite")
    func unknown() {
        let log = [
            entry(1, "a", ["a": .integer(1)]), entry(2, "a", ["b": .integer(1)]), entry(3, "a", ["b": .integer(2)]),
        ]
        let changes = log.externalChanges(unknown: [id(2, "a"), id(9, "a")]) { $0.id.store == id(0, "a").store }
        #expect(changes == [ExternalChange(.values(["b": .integer(2)]), batch: id(2, "a"))])
    }

    // MARK: What the tests need

    private var everything: StorageBatch {
        var values: [SettingKey: SettingValue?] = ["removed": nil]
        for (number, value) in StorageConformance.everyKindOfValue.enumerated() { values[.path("\(number)")] = value }
        let author = TransactionAuthor(name: "alice", program: "tool", process: 7, user: "root")
        var transaction = StoredTransaction(
            time: 0.1, author: author, origin: .reset, undone: token(3), reason: "because", count: 3,
            mutations: [
                StoredMutation(key: "a", oldValue: nil, newValue: .real(1)),
                StoredMutation(key: "b", oldValue: .date(Date(timeIntervalSinceReferenceDate: 0.1)), newValue: nil),
                StoredMutation(withheldAt: "c"),
            ])
        transaction.isOwners = true
        let sum = StoredTransaction(time: -1, author: TransactionAuthor(), origin: .external, mutations: nil)
        return StorageBatch(
            id: StorageBatch.ID(store: .max, number: .max), revision: 1, values: values, author: "alice",
            transactionCount: 4, transactions: [transaction, sum])
    }

    private func copy(_ entry: StoredBatch) throws -> StoredBatch {
        try JSONDecoder().decode(StoredBatch.self, from: JSONEncoder().encode(entry))
    }

    private func token(_ position: UInt64) -> ChangeToken { ChangeToken(history: 1, position: position, checksum: 2) }

    private func id(_ number: UInt64, _ store: Unicode.Scalar) -> StorageBatch.ID {
        StorageBatch.ID(store: UInt64(store.value), number: number)
    }

    private func entry(
        _ number: UInt64, _ store: Unicode.Scalar, _ values: [SettingKey: SettingValue?], author: String? = nil
    ) -> StoredBatch {
        StoredBatch(
            StorageBatch(id: id(number, store), revision: number, values: values, author: author), token: token(number))
    }
}
