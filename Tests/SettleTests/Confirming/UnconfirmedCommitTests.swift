import SettleTesting
import Testing

@testable import Settle

/// What is left of the time, by every clock, and how commits join: without any store.
@Suite(.timeLimit(.minutes(10))) struct UnconfirmedCommitTests {
    private static let start = moment("a", uptime: 1_000, time: 5_000)

    private static func moment(_ boot: String, uptime: Double, time: Double) -> MachineMoment {
        MachineMoment(boot: boot, uptime: .seconds(uptime), time: time)
    }

    private static func commit(_ changes: [StoredMutation] = [], at moment: MachineMoment = start) -> UnconfirmedCommit
    {
        UnconfirmedCommit(changes, by: "alice", within: .seconds(300), at: moment)
    }

    private static func change(_ key: String, _ old: SettingValue?, _ new: SettingValue?) -> StoredMutation {
        StoredMutation(key: SettingKey(stored: key), oldValue: old, newValue: new)
    }

    struct Reading: Sendable, CustomTestStringConvertible {
        let name: String
        let boot: String
        let uptime: Double
        let time: Double
        let left: Double

        var testDescription: String { name }
    }

    @Test(
        "What is left",
        arguments: [
            Reading(name: "at once", boot: "a", uptime: 1_000, time: 5_000, left: 300),
            Reading(name: "later on the same boot", boot: "a", uptime: 1_100, time: 5_100, left: 200),
            Reading(name: "wall clock forward on the same boot", boot: "a", uptime: 1_100, time: 9e9, left: 200),
            Reading(name: "wall clock back on the same boot", boot: "a", uptime: 1_100, time: -9e9, left: 200),
            Reading(name: "just before the end", boot: "a", uptime: 1_299.5, time: 5_000, left: 0.5),
            Reading(name: "at the end", boot: "a", uptime: 1_300, time: 5_000, left: 0),
            Reading(name: "long after", boot: "a", uptime: 9e9, time: 5_000, left: 0),
            Reading(name: "another boot", boot: "b", uptime: 20, time: 5_120, left: 180),
            Reading(name: "another boot, uptime beyond the old one", boot: "b", uptime: 1_100, time: 5_030, left: 270),
            Reading(name: "another boot, too late", boot: "b", uptime: 20, time: 5_300, left: 0),
            Reading(name: "another boot, clock a little behind", boot: "b", uptime: 20, time: 4_990, left: 300),
            Reading(name: "another boot, clock far back", boot: "b", uptime: 20, time: -9e9, left: 300),
            Reading(name: "another boot, clock far ahead", boot: "b", uptime: 20, time: 9e9, left: 0),
            Reading(name: "another boot, no clock", boot: "b", uptime: 20, time: .nan, left: 300),
            Reading(name: "same boot with an earlier uptime", boot: "a", uptime: 900, time: 5_100, left: 200),
            Reading(name: "no boot is told", boot: "", uptime: 1_100, time: 5_050, left: 250),
        ])
    func remaining(_ reading: Reading) {
        let moment = Self.moment(reading.boot, uptime: reading.uptime, time: reading.time)
        #expect(Self.commit().remaining(at: moment) == .seconds(reading.left))
        #expect(Self.commit().isDue(at: moment) == (reading.left == 0))
    }

    @Test("Two machines that tell no boot are not the same") func unknownBoots() {
        let commit = Self.commit(at: Self.moment("", uptime: 1_000, time: 5_000))
        #expect(commit.remaining(at: Self.moment("", uptime: 1_290, time: 5_010)) == .seconds(290))
    }

    @Test("After a restart the rest is measured by the new boot's clock") func rebasing() {
        let rebased = Self.commit().rebased(at: Self.moment("b", uptime: 20, time: 5_100))
        #expect(rebased.remaining(at: Self.moment("b", uptime: 120, time: -9e9)) == .seconds(100))
        #expect(rebased.length == .seconds(300))
        // On a third boot the wall clock counts from the second one's base.
        #expect(rebased.remaining(at: Self.moment("c", uptime: 1, time: 5_150)) == .seconds(150))
    }

    @Test("A clock that was set back gives all of the rest again only once, so restarts come to an end")
    func badClock() {
        let second = Self.commit().rebased(at: Self.moment("b", uptime: 1, time: 0))
        #expect(second.remaining(at: Self.moment("b", uptime: 1, time: 0)) == .seconds(300))
        let third = Self.moment("c", uptime: 1, time: -1_000)
        #expect(second.isDue(at: third))
        // A clock that has gone on is believed again.
        #expect(second.remaining(at: Self.moment("c", uptime: 1, time: 60)) == .seconds(240))
    }

    @Test("Whatever the clocks say, nothing gives more than the whole time") func bounds() {
        for boot in ["a", "b", ""] {
            for uptime in [-1e12, 0, 999, 1_001, 1e12] {
                for time in [-Double.infinity, -1e300, 0, 4_999, 5_001, 1e300, .infinity, .nan] {
                    let moment = Self.moment(boot, uptime: uptime, time: time)
                    let commit = Self.commit()
                    #expect((.zero ... .seconds(300)).contains(commit.remaining(at: moment)))
                    #expect(commit.rebased(at: moment).remaining(at: moment) == commit.remaining(at: moment))
                }
            }
        }
        #expect(UnconfirmedCommit([], by: nil, within: .seconds(-5), at: Self.start).isDue(at: Self.start))
    }

    // MARK: Joining

    @Test("The oldest old values and the newest time win") func joining() {
        let first = Self.commit([Self.change("a", .integer(1), .integer(2)), Self.change("b", nil, .integer(1))])
        let later = Self.moment("a", uptime: 1_200, time: 5_200)
        let second = UnconfirmedCommit(
            [Self.change("a", .integer(2), .integer(3)), Self.change("c", .integer(0), nil)], by: "bob",
            within: .seconds(60), at: later)
        let joined = first.joined(by: second)
        #expect(
            joined.changes == [
                Self.change("a", .integer(1), .integer(3)), Self.change("b", nil, .integer(1)),
                Self.change("c", .integer(0), nil),
            ])
        #expect(joined.author == "bob" && joined.remaining(at: later) == .seconds(60))
    }

    @Test("What others wrote between two commits is kept") func writtenBetween() {
        let first = Self.commit([Self.change("a", .integer(1), .integer(2))])
        let joined = first.joined(by: Self.commit([Self.change("a", .integer(7), .integer(3))]))
        #expect(joined.changes == [Self.change("a", .integer(7), .integer(3))])
    }

    @Test("What is as it was before both has nothing to take back") func backAgain() {
        let first = Self.commit([Self.change("a", .integer(1), .integer(2))])
        #expect(first.joined(by: Self.commit([Self.change("a", .integer(2), .integer(1))])).changes.isEmpty)
    }

    @Test("A key within another one joins it, whichever came first") func nested() {
        func table(_ x: Int64, _ y: Int64) -> SettingValue { .dictionary(["x": .integer(x), "y": .integer(y)]) }
        let inner = Self.commit([Self.change("t.x", .integer(1), .integer(2))])
        let outer = Self.commit([Self.change("t", table(2, 1), table(3, 3))])
        #expect(inner.joined(by: outer).changes == [Self.change("t", table(1, 1), table(3, 3))])
        let after = Self.commit([Self.change("t.x", .integer(3), .integer(4))])
        #expect(outer.joined(by: after).changes == [Self.change("t", table(2, 1), table(4, 3))])
        // Another one has written the part in between.
        let between = Self.commit([Self.change("t.x", .integer(9), .integer(4))])
        #expect(outer.joined(by: between).changes == [Self.change("t", table(9, 1), table(4, 3))])
    }

    // MARK: The record

    @Test("A record is read as it was written", arguments: [false, true]) func record(isRebased: Bool) {
        let changes = [
            Self.change("a", .integer(1), nil), Self.change("b.c", nil, .array([.real(0.5), .bool(true)])),
        ]
        var commit = Self.commit(changes, at: Self.moment("x-y", uptime: 12.25, time: 700_000_000.125))
        if isRebased { commit = commit.rebased(at: Self.moment("z", uptime: 3, time: 0)) }
        #expect(UnconfirmedCommit(commit.record) == commit)
    }

    @Test(
        "What is no record is none",
        arguments: [
            nil, .null, .integer(1), .dictionary([:]), .dictionary(["changes": .dictionary([:])]),
            .dictionary([
                "changes": .dictionary(["$settle.migrations": .dictionary([:])]), "within": .string("5s"),
                "base": .dictionary(["rest": .string("5s"), "uptime": .string("5s"), "time": .real(0)]),
            ]),
            .dictionary([
                "changes": .dictionary(["a": .integer(1)]), "within": .string("5s"),
                "base": .dictionary(["rest": .string("5s"), "uptime": .string("5s"), "time": .real(0)]),
            ]),
        ] as [SettingValue?])
    func noRecord(_ value: SettingValue?) {
        #expect(UnconfirmedCommit(value) == nil)
    }

    @Test("A record that was edited gives no more than all of the time") func edited() {
        guard case .dictionary(var record) = Self.commit().record, case .dictionary(var base)? = record["base"] else {
            Issue.record("no record")
            return
        }
        base["rest"] = .string("99999s")
        record["base"] = .dictionary(base)
        #expect(UnconfirmedCommit(.dictionary(record))?.remaining(at: Self.start) == .seconds(300))
    }

    @Test(
        "Durations in words",
        arguments: [
            (300.0, "5 minutes"), (60, "1 minute"), (90, "90 seconds"), (1, "1 second"), (3_600, "1 hour"),
            (172_800, "2 days"), (0.5, "0.5 seconds"), (0, "0 seconds"),
        ]) func words(_ seconds: Double, _ words: String)
    {
        #expect(Duration.seconds(seconds).inWords == words)
    }
}
