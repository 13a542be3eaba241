import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// The records that a file storage returns without waiting.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RecordsAtOnceTests {
    @Test("Records of others that were fetched are returned at once: all of them, or none") func fetched() throws {
        let past = try KeptPast()
        let first = try past.openKeeping()
        let other = try past.open()
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
}
