import Testing

@testable import Settle
@testable import SettleHTTP

@Suite(.timeLimit(.minutes(10))) struct ChangeJSONTests {
    @Test(
        "The count of transactions stays within the integers of JSON, however many were missed",
        arguments: [(1, 2), (UInt64(Int64.max), .max), (.max, .max)] as [(UInt64, Int64)])
    func countOfTransactions(missed: UInt64, count: Int64) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let limits = try await store.group(APIProgram.Limits.self)
        var reader = store.changes.makeReader()
        limits.burst = 5
        let next = reader.next()
        let change = try #require(next)
        let later = Change(
            revision: change.revision, token: change.token, time: change.time, origin: change.origin,
            domain: change.domain, author: change.author, mutations: change.mutations, isDurable: change.isDurable,
            missed: .changes(missed))
        #expect(later.json(for: APIClient(name: "alice"), in: store)?["transactions"] == .integer(count))
        try await store.close()
    }
}
