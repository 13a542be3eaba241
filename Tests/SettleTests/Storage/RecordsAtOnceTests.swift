import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// The records that a file storage returns without waiting.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RecordsAtOnceTests {
    @Test("Records of others that were fetched are returned at once: all of them, or none") func fetched() throws {
        let past = try KeptPast()
        let (first, other) = (try past.openKeeping(journalLimit: 1 << 20), try past.open(journalLimit: 1 << 20))
        try past.write(["one"], at: "other", to: first)
        _ = try other.externalChanges()
        let middle = try #require(other.token)
        #expect(other.recordsAtOnce(after: middle, limit: 9)?.records == [])
        try past.write(["two", "three"], at: "other", to: first)
        _ = try other.externalChanges()
        let found = try #require(other.recordsAtOnce(after: middle, limit: 9)?.records)
        #expect(found.count == 2)
        #expect(try other.records(after: middle, limit: 9) == found)
        #expect(other.recordsAtOnce(after: middle, limit: 1)?.records == nil)
        var foreign = middle
        foreign.history &+= 1
        #expect(other.recordsAtOnce(after: foreign, limit: 9)?.records == nil)
    }

    @Test("Values of secrets are withheld, and those from before are not in memory") func withheld() throws {
        let past = try KeptPast()
        let (first, other) = (try past.openKeeping(journalLimit: 1 << 20), try past.open(journalLimit: 1 << 20))
        try past.write(["one"], at: "other", to: first)
        _ = try other.externalChanges()
        let middle = try #require(other.token)
        try past.write(["two"], at: "other", to: first)
        _ = try other.externalChanges()
        #expect(other.recordsAtOnce(after: middle, limit: 9)?.withheld.contains("other") == false)
        try other.withhold(["other"])
        #expect(other.recordsAtOnce(after: middle, limit: 9)?.records == nil)
        let end = try #require(other.token)
        try past.write(["three"], at: "other", to: first)
        _ = try other.externalChanges()
        #expect(other.recordsAtOnce(after: end, limit: 9)?.withheld.contains("other") == true)
        let found = try #require(other.recordsAtOnce(after: end, limit: 9)?.records)
        #expect(found.flatMap(\.transactions).flatMap { $0.mutations ?? [] } == [StoredMutation(withheldAt: "other")])
    }
}
