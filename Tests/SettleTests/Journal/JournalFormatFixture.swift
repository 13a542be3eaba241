import FoundationEssentials
import Settle

/// A journal of format version 3, as it stands on disks, and what is in it: each kind of record, value and transaction.
///
/// Never change these bytes. A later version of the format gets a fixture of its own, and reads this one to the same
/// values.
enum JournalFormatFixture {
    static let journal = """
        U2V0dGxl9QoDAAAAzHhyOAMAAAAAHndeAgAAAAAed14AEAAAAAAAAADu/8AA7v/AKAAAAAAAAAAi
        IiIiIiIiIqgBAAAAAAAAJAAAAAAAAAABAQEBAQEBAQEAAAACAAAAAQAAAAAAAAAHAAAAAAAAAEYA
        AAAAAAAAYQAAAAgBAAADAAAAAB53XngAAAAAAAAAan2ZiZR/uPIAAAAAAAAAAGQ5cg0SWc+dERER
        ERERERElAAAAAAAAAAEAACCAk9zEQQ1zZXR0aW5ncy10b29sBWFsaWNl5yQBAAAggJPcxEEFBWxv
        Y2FsA2NsaQIBYQAEAgV0b2tlbv//AAAAAAAAAIYAAAAIAQAAan2ZiZR/uPJ4AAAAAAAAAPp1hDKR
        l6sLAAAAAAAAAADZtclFjmr1ZCIiIiIiIiIiKAAAAAAAAAADAAAAgZPcxEENc2V0dGluZ3MtdG9v
        bAVhbGljZeckAgAAgICT3MRBBgVyZXNldADu/8AA7v/AJQAAAAAAAAAREREREREREQEBYQQCAAAA
        AIGT3MRBCQltaWdyYXRpb24EbWFueQIAANMAAAABAAAA+nWEMpGXqwt4AAAAAAAAAEdHEt33KkCU
        AAAAAP////8+F8sBdToAUAMBAAAAAAAAAAoAAAAAAAAAAgNnLngEAgNvbGQHC2luIHRoZSBmaWxl
        //////////8UAAAAAAAAAAEBZwAAAAAAAAAAAP//////////AAsBAWcLAQF4ChMBAgMEAAQBBP//
        /////////wEE/v//////////AQUAAAAAAAAAgAWamZmZmZm5PwUAAAAAAADwfwYFMWU5OTkHAAcI
        YQDDqfCfmIAJAAkDAH//CAAAAAAAAOC/CgALAAsBAS4LAQAKAQTYBAAAAAAAIQAAAAYAAABHRxLd
        9ypAlHgAAAAAAAAAROy9z5aUr9MEAAAAAQAAAO+uSz0dhFuqA2cueAAACgIHBmJlZm9yZQEAAAAA
        AAAALAAAAAcAAABE7L3PlpSv03gAAAAAAAAABWWGE0VI3AgAAAAAAAAAABiOTuZ0lKTMZICABACA
        IajbBwAAAghnLnNlY3JldAV0b2tlbgAAAABtAAAAAgEAAAVlhhNFSNwIqAEAAAAAAADM/fjVFWi9
        +wYAAAACAAAAGN+PsEX3jJYBYQNiLmOsAgEDY2xpBAIHAsO8KQAAAAAAAAABAACAgZPcxEENc2V0
        dGluZ3MtdG9vbAVhbGljZeckAQAAgIGT3MRBBQVsb2NhbANjbGkCAWEABAIDYi5jAAcCw7wAAAAg
        AAAABAAAAMz9+NUVaL37qAEAAAAAAAAfx60wsWowmAAAAAAAAAAAjMwhmSxJbdwDAAAAAAAAAB4A
        AAAAAAAAIAAAAAUAAAAfx60wsWowmKgBAAAAAAAAbaQhLxSIERgAAAAAAAAAAOakwiaGYgu2AwAA
        AAAAAAAeAAAAAAAAAEUAAAADAQAAbaQhLxSIERioAQAAAAAAAE4LD1naHav0BAAAAAIAAAA+yiI1
        Mk5SvgFhAWTTkvKyPX1f2TgAAAAAAAAAAAAABQAAAAAAAARAKgAAAAAAAAABAAAAgpPcxEEAAAAA
        AAAAFQAAAAIAAABOCw9Z2h2r9KgBAAAAAAAAtBqS7cP/kgACAAAAAQAAAMGc1GtYTv0CAWUCAAMA
        AAAgAAAABAAAALQaku3D/5IAqAEAAAAAAAASGkiXWcLfAgAAAAAAAAAAcbfR92al+FIFAAAAAAAA
        ADIAAAAAAAAA
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
        lineage: JournalLineage(resets: 1, restarts: 2, isInEmptyPlace: true, origin: FileVersion(hash: 7, size: 70)),
        base: 424)

    static let past = [first, second].map { JournalRecord(.past($0), durableEnd: JournalHeader.size) }

    /// The records from the base on.
    static let records: [JournalRecord] = [
        JournalRecord(.base(base), durableEnd: 120),
        JournalRecord(
            .kept(JournalBatch(revision: 0, entries: [entry("g.x", .array([.string("before"), .null]))])),
            durableEnd: 120),
        JournalRecord(.history(history), durableEnd: 120),
        JournalRecord(.values(values), durableEnd: 424),
        JournalRecord(.mirroring(FileVersion(hash: 3, size: 30)), durableEnd: 424),
        JournalRecord(.mirrored(FileVersion(hash: 3, size: 30)), durableEnd: 424),
        JournalRecord(.edited(FileVersion(of: Array(file.utf8)), edit), durableEnd: 424),
        JournalRecord(.values(JournalBatch(revision: 2, entries: [entry("e", .bool(true))])), durableEnd: 424),
        JournalRecord(.mirroring(FileVersion(hash: 5, size: 50)), durableEnd: 424),
    ]

    /// All values.
    static let tree = SettingTree([
        "b": .dictionary(["c": .string("ü")]), "d": .real(2.5), "e": .bool(true), "g": .dictionary(["x": every]),
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
        ])

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
