import FoundationEssentials
import Settle

/// A journal of format version 3, as it stands on disks, and what is in it: each kind of record, value and transaction.
///
/// Never change these bytes. A later version of the format gets a fixture of its own, and reads this one to the same
/// values.
enum JournalFormatFixture {
    static let journal = """
        U2V0dGxl9QoDAAAAIqo2FQMAAAAAHndeAgAAAAAed14AEAAAAAAAAADu/8AA7v/AKAAAAAAAAAAi
        IiIiIiIiIogBAAAAAAAAJAAAAAAAAAABAQEBAQEBAQEAAAACAAAAAQAAAAAed14eAAAAAAAAAERE
        REREREREBwAAAAAAAABGAAAAAAAAAE0AAAAIAQAAAwAAAAAed16IAAAAAAAAALz0aH1q0GWFAAAA
        AAAAAADB3PXP8/J8LBERERERERERJQEAACCAk9zEQQENc2V0dGluZ3MtdG9vbAVhbGljZeckBQED
        Y2xpAgFhAAQCBXRva2Vu//8AAABpAAAACAEAALz0aH1q0GWFiAAAAAAAAAB1oLNRxLBaTgAAAAAA
        AAAAmDoRMEN3TyYiIiIiIiIiIigDAAAAgZPcxEECDXNldHRpbmdzLXRvb2wFYWxpY2XnJBYAAICA
        k9zEQQQA7v/AAO7/wCUAAAAAAAAAEREREREREREBAWEEAgAJAwRtYW55AgAAAAAAAADzAAAAAQAA
        AHWgs1HEsFpOiAAAAAAAAAABmtDith2PUgAAAAD/////+LWWfS4Wmi4DAQAAAAAAAAAKAAAAAAAA
        AAIDZy54BAIDb2xkBwtpbiB0aGUgZmlsZf//////////FAAAAAAAAAABAWcAAAAAAAAAAAD/////
        /////wADAWEDYi5jAQMAAAAAAAAABAAAAAAAAAAFAAAAAAAAAAsBAWcLAQF4ChMBAgMEAAQBBP//
        /////////wEE/v//////////AQUAAAAAAAAAgAWamZmZmZm5PwUAAAAAAADwfwYFMWU5OTkHAAcI
        YQDDqfCfmIAJAAkDAH//CAAAAAAAAOC/CgALAAsBAS4LAQAKAQTYBAAAAAAAIQAAAAYAAAABmtDi
        th2PUogAAAAAAAAAwwAxIdgEb7wEAAAAAQAAAO+uSz0dhFuqA2cueAAACgIHBmJlZm9yZQEAAAAA
        AAAALAAAAAcAAADDADEh2ARvvIgAAAAAAAAAX5+4ya5XAacAAAAAAAAAABiOTuZ0lKTMZICABACA
        IajbBwAAAghnLnNlY3JldAV0b2tlbgAAAABMAAAAAgEAAF+fuMmuVwGniAEAAAAAAAB2ltL8MeNN
        hgYAAAACAAAAGN+PsEX3jJYBYQNiLmOsAgEDY2xpBAIHAsO8KQEAAICBk9zEQQENc2V0dGluZ3Mt
        dG9vbAVhbGljZeckJQEDY2xpAAAAAAAAIAAAAAQAAAB2ltL8MeNNhogBAAAAAAAAHyC1atOPcxsA
        AAAAAAAAAEs74By0Qc/HAwAAAAAAAAAeAAAAAAAAACAAAAAFAAAAHyC1atOPcxuIAQAAAAAAADhs
        fm1Hi9SNAAAAAAAAAAAEmh+HYoBmdQMAAAAAAAAAHgAAAAAAAAA/AAAAAwEAADhsfm1Hi9SNiAEA
        AAAAAADuyTwiIv5obAQAAAACAAAAHmkXPuZn+/IBYQFk05Lysj19X9k4AAAAAAAAAAEBZQAAAAAF
        AAAAAAAABEAqAQAAAIKT3MRBAAAVAAAAAgAAAO7JPCIi/mhsiAEAAAAAAABU29Q+eAnukgIAAAAB
        AAAAP0UbWP8ZSQMBZQIAAwAAAEQAAAAJAAAAVNvUPngJ7pKIAQAAAAAAAHDCw44BK2WHAgAAAAEA
        AAAP3SiDQOvQ2gFmAAD+ygAA/soMAAAAAAAAADMzMzMzMzMzAQQAAAAAAAAAKAAAAAAAAAABAWYE
        DAAABA4AAAAAIAAAAAQAAABwwsOOAStlh4gBAAAAAAAA3oOdV55tzukAAAAAAAAAAEIAqSBdn4QM
        BQAAAAAAAAAyAAAAAAAAAEAAAAAKAAAA3oOdV55tzumIAQAAAAAAABsZaczhv++eAAAAAAAAAAB7
        qh9IwYpfswIBaANpLmsBAWwCAAAAAAAAAAD//////////wAGAAAAAAAAADwAAAAAAAAAAQFoAC0A
        AAALAAAAGxlpzOG/756IAQAAAAAAAJXXPYpmGUHUAgAAAAEAAADzOpWRpLEkmAFoBwAAAAAAAABG
        AAAAAAAAAAEDaS5rBBAAAAQSAAAA
        """

    /// The readable file beside it. The journal knows it, so it is never read for its values.
    static let file = """
        {
          "b": {"c": "ü"},
          "d": 2.5,
          "g": {"x": "…"}
        }

        """

    static let header = JournalHeader(
        generation: 0x5E77_1E00_0000_0003, previousGeneration: 0x5E77_1E00_0000_0002, previousEnd: 4096,
        beginning: ChangeToken(history: 0xC0FF_EE00_C0FF_EE00, position: 40, checksum: 0x2222_2222_2222_2222),
        oldest: ChangeToken(history: 0xC0FF_EE00_C0FF_EE00, position: 36, checksum: 0x0101_0101_0101_0101),
        lineage: JournalLineage(
            resets: 1, restarts: 2,
            start: JournalLineage.Start(
                generation: 0x5E77_1E00_0000_0001, position: 30, checksum: 0x4444_4444_4444_4444),
            origin: FileVersion(hash: 7, size: 70)),
        base: 392)

    static let past = [first, second].map { JournalRecord(.past($0), durableEnd: JournalHeader.size) }

    /// The records from the base on.
    static let records: [JournalRecord] = [
        JournalRecord(.base(base), durableEnd: 136),
        JournalRecord(
            .kept(JournalBatch(revision: 0, entries: [entry("g.x", .array([.string("before"), .null]))])),
            durableEnd: 136),
        JournalRecord(.history(history), durableEnd: 136),
        JournalRecord(.values(values), durableEnd: 392),
        JournalRecord(.mirroring(FileVersion(hash: 3, size: 30)), durableEnd: 392),
        JournalRecord(.mirrored(FileVersion(hash: 3, size: 30)), durableEnd: 392),
        JournalRecord(
            .edited(
                JournalBase.Mirror(FileVersion(of: Array(file.utf8)), [entry("e", nil)]), edit), durableEnd: 392),
        JournalRecord(.values(JournalBatch(revision: 2, entries: [entry("e", .bool(true))])), durableEnd: 392),
        JournalRecord(
            .united(
                JournalUnion(
                    origin: ChangeToken(history: 0xCAFE_0000_CAFE_0000, position: 12, checksum: 0x3333_3333_3333_3333),
                    mirrors: [JournalBase.Mirror(FileVersion(hash: 4, size: 40), [entry("f", .integer(6))])],
                    batch: JournalBatch(revision: 0, entries: [entry("f", .integer(7))]))), durableEnd: 392),
        JournalRecord(.mirroring(FileVersion(hash: 5, size: 50)), durableEnd: 392),
        JournalRecord(
            .state(
                JournalStateKeys(
                    added: ["h", "i.k"], removed: ["l"],
                    mirrors: [
                        JournalBase.Mirror(.absent, isOfState: true),
                        JournalBase.Mirror(FileVersion(hash: 6, size: 60), [entry("h", nil)], isOfState: true),
                    ])), durableEnd: 392),
        JournalRecord(
            .edited(
                JournalBase.Mirror(FileVersion(hash: 7, size: 70), [entry("i.k", .integer(8))], isOfState: true),
                JournalBatch(revision: 0, entries: [entry("h", .integer(9))])), durableEnd: 392),
    ]

    /// All values.
    static let tree = SettingTree([
        "b": .dictionary(["c": .string("ü")]), "d": .real(2.5), "e": .bool(true), "f": .integer(7),
        "g": .dictionary(["x": every]), "h": .integer(9),
    ])

    /// What the readable file has.
    static let mirror = SettingTree([
        "b": .dictionary(["c": .string("ü")]), "d": .real(2.5), "g": .dictionary(["x": every]),
    ])

    // MARK: The parts

    /// A value of each kind. No dictionary has two entries: their order on disk is any.
    static let every = SettingValue.array([
        .null, .bool(false), .bool(true), .integer(0), .integer(-1), .integer(.min), .integer(.max), .real(-0.0),
        .real(0.1),
        .real(.infinity), .number("1e999"), .string(""), .string("a\0é😀"), .data(Data()), .data(Data([0, 127, 255])),
        .date(Date(timeIntervalSinceReferenceDate: -0.5)), .array([]), .dictionary([:]),
        .dictionary([".": .dictionary(["": .array([.integer(300)])])]),
    ])

    private static let author = TransactionAuthor(name: "cli", program: "settings-tool", process: 4711, user: "alice")

    private static func entry(_ key: SettingKey, _ value: SettingValue?) -> JournalEntry {
        JournalEntry(key: key, value: value)
    }

    private static let base = JournalBase(
        tree: SettingTree(["g": .dictionary(["x": every])]),
        mirrors: [
            JournalBase.Mirror(
                FileVersion(hash: 1, size: 10), [entry("g.x", .integer(1)), entry("old", .string("in the file"))]),
            JournalBase.Mirror(FileVersion(hash: .max, size: 20), [entry("g", nil)]),
            JournalBase.Mirror(.absent),
        ],
        news: JournalBase.News(keys: ["a", "b.c"], united: ChangeToken(history: 3, position: 4, checksum: 5)))

    private static let history = JournalHistory(
        policy: .keep(transactions: 100, bytes: 65_536, for: .days(100_000_000)), secrets: ["g.secret", "token"])

    private static let first: JournalTransactions = {
        let mutations = [
            StoredMutation(key: "a", oldValue: nil, newValue: .integer(1)), StoredMutation(withheldAt: "token"),
        ]
        let one = StoredTransaction(time: 700_000_000.25, author: author, origin: .local, mutations: mutations)
        var transactions = JournalTransactions(position: 37, count: 1, time: 700_000_000.25, list: [one])
        transactions.checksum = 0x1111_1111_1111_1111
        return transactions
    }()

    private static let second: JournalTransactions = {
        let undone = ChangeToken(history: 0xC0FF_EE00_C0FF_EE00, position: 37, checksum: 0x1111_1111_1111_1111)
        let mutation = StoredMutation(key: "a", oldValue: .integer(1), newValue: nil)
        let undo = StoredTransaction(
            time: 700_000_001, author: author.named(nil), origin: .reset, undone: undone, mutations: [mutation])
        let several = StoredTransaction(
            time: 700_000_002, author: author.named("many"), origin: .migration, count: 2, mutations: nil)
        var transactions = JournalTransactions(position: 40, count: 3, time: 700_000_002, list: [undo, several])
        transactions.checksum = 0x2222_2222_2222_2222
        return transactions
    }()

    private static let values: JournalBatch = {
        var batch = JournalBatch(
            revision: 300, author: "cli", entries: [entry("a", .integer(1)), entry("b.c", .string("ü"))])
        let mutations = [
            StoredMutation(key: "a", oldValue: nil, newValue: .integer(1)),
            StoredMutation(key: "b.c", oldValue: nil, newValue: .string("ü")),
        ]
        let one = StoredTransaction(time: 700_000_003, author: author, origin: .local, mutations: mutations)
        batch.transactions = JournalTransactions(position: 41, count: 1, time: 700_000_003, list: [one])
        return batch
    }()

    /// With transactions that nobody has listed.
    private static let edit: JournalBatch = {
        var batch = JournalBatch(revision: 0, entries: [entry("a", nil), entry("d", .real(2.5))])
        batch.transactions = JournalTransactions(position: 42, count: 1, time: 700_000_004)
        return batch
    }()
}
