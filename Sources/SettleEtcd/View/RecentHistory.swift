import Settle

/// The newest transactions of a cluster under a prefix, without a gap.
///
///     beginning ──▶ records ──▶ end
///         ▲            ▲         ▲
///         │            │         └ the stream adds newer ones
///         │            └ begun: the read when the storage was loaded, or later
///         └ earlier ones are added here when they are requested
struct RecentHistory: Sendable {
    /// The token before the first of them; `nil` if it is not known.
    private(set) var beginning: ChangeToken?
    private(set) var records: ArraySlice<StoredRecord> = []
    /// Whether nothing earlier can be read, or held.
    private(set) var isComplete = false
    /// How much of the history is shown to requests for earlier transactions.
    var policy = HistoryPolicy.none { didSet { isComplete = false } }
    /// The first revision that the store has not received: the history does not report it, or later ones, either.
    var firstUntold: Int64?
    /// The keys whose values are withheld from reports of the history.
    var secrets: Set<SettingKey> = []

    /// The token of the read. Followers may have it, although possibly nothing was stored at its revision.
    private var begun: ChangeToken?
    /// An own transaction that is stored, while earlier changes may still be unknown.
    private var landed: ChangeToken?
    /// The approximate size of the records in bytes.
    private var size = 0

    /// The number of records held for followers that resume after a token, and their bytes. A policy may require more.
    static let limit = 1_024
    static let sizeLimit = 4 << 20

    private var limit: Int { max(Self.limit, policy.transactions) }
    private var sizeLimit: Int { max(Self.sizeLimit, policy.bytes) }

    /// The token of the newest transaction that may be reported.
    var end: ChangeToken? {
        if let landed, isTold(landed) { return landed }
        guard let newest = records.last(where: { isTold($0.token) })?.token else { return begun ?? beginning }
        return begun.map { $0.position > newest.position ? $0 : newest } ?? newest
    }

    private func isTold(_ token: ChangeToken) -> Bool {
        firstUntold.map { Int64(clamping: token.position) < $0 } ?? true
    }

    /// Returns the token of the transaction at a revision.
    func token(at revision: Int64) -> ChangeToken? {
        if let landed, landed.position == UInt64(clamping: revision) { return landed }
        return records.last { $0.token.position <= UInt64(clamping: revision) }
            .flatMap { $0.token.position == UInt64(clamping: revision) ? $0.token : nil }
    }

    mutating func begin(at token: ChangeToken?) {
        (beginning, begun) = (token, token)
        records = []
        isComplete = false
        (landed, size) = (nil, 0)
    }

    /// Moves the beginning of the known history to a later token.
    mutating func moveBeginning(to token: ChangeToken) { (beginning, begun) = (token, token) }

    /// Adds earlier transactions before the beginning.
    ///
    /// - Parameters:
    ///   - earlier: Oldest first, without a gap up to the beginning.
    ///   - token: The token before the first of them.
    ///   - isWhole: Whether nothing before them can be read.
    mutating func prepend(_ earlier: [StoredRecord], after token: ChangeToken, isWhole: Bool) {
        var room = sizeLimit - size
        let fitting = earlier.suffix(max(0, limit - records.count)).reversed().prefix { record in
            room -= record.roughSize
            return room >= 0
        }
        records = ArraySlice(fitting.reversed() + records)
        for index in records.indices {
            if index >= records.startIndex + fitting.count, !records[index].isUntimed { break }
            if index > records.startIndex { records[index].takeTime(of: records[index - 1]) }
        }
        size += fitting.reduce(0) { $0 + $1.roughSize }
        beginning = fitting.count == earlier.count ? token : earlier[earlier.count - fitting.count - 1].token
        isComplete = isWhole || fitting.count < earlier.count
    }

    /// Records that an own transaction is stored; its record comes later.
    mutating func expect(_ token: ChangeToken) { landed = token }

    mutating func add(_ record: StoredRecord) {
        var record = record
        record.transactions = record.transactions.map { $0.withholding(secrets) }
        record.takeTime(of: records.last)
        records.append(record)
        size += record.roughSize
        if let token = landed, token.position <= record.token.position { landed = nil }
        // Keep unreported records: the token before them is that of the end.
        while records.count > limit || size > sizeLimit, let first = records.first, isTold(first.token) {
            records.removeFirst()
            beginning = first.token
            isComplete = true
            size -= first.roughSize
        }
        if let begun, let beginning, begun.position < beginning.position { self.begun = nil }
    }

    /// Returns the records that may be reported.
    ///
    /// - Returns: `nil` if the token is not among them.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        let later: ArraySlice<StoredRecord>
        if token == beginning || token == begun {
            later = records.drop { $0.token.position <= token.position }
        } else {
            guard let index = records.firstIndex(where: { $0.token == token }) else { return nil }
            later = records[(index + 1)...]
        }
        return Array(later.prefix(limit).prefix { isTold($0.token) })
    }

    mutating func withhold(_ keys: [SettingKey]) {
        let keys = Set(keys)
        secrets.formUnion(keys)
        for index in records.indices {
            records[index].transactions = records[index].transactions.map { $0.withholding(keys) }
        }
    }
}

extension RecentHistory {
    /// The records before a token that the policy shows.
    struct Page: Equatable {
        /// Newest first.
        var records: [StoredRecord]
        /// Whether there are as many as requested, or no more will be found.
        var isEnough: Bool
    }

    /// Returns the records before a token that the policy shows.
    ///
    /// - Parameters:
    ///   - token: `nil` for the end.
    ///   - limit: The maximum number of records.
    ///   - now: In seconds since the reference date.
    /// - Returns: `nil` if the token belongs to another history.
    func page(before token: ChangeToken?, limit: Int, now: Double) -> Page? {
        let told = records[..<records.firstIndexInOrder { !isTold($0.token) }]
        let allowed = told.suffix(policy.transactions)
        let first = allowed.firstIndex { isYoung($0, now: now) } ?? allowed.endIndex
        let end = token.map { token in told.firstIndexInOrder { $0.token.position >= token.position } } ?? told.endIndex
        if let token, end < told.endIndex, told[end].token.position == token.position, told[end].token != token {
            return nil
        }
        let found = first < end ? allowed[first..<end].suffix(limit) : []
        return Page(
            records: found.reversed(),
            isEnough: found.count == limit || isComplete || beginning == nil || told.count >= policy.transactions
                || first - allowed.startIndex >= Self.patience)
    }

    /// The number of consecutive records that must be too old to end the shown history: one client's clock may be
    /// wrong.
    private static let patience = 64

    /// Returns whether a record is not too old. All that follow such a record count as young, too.
    private func isYoung(_ record: StoredRecord, now: Double) -> Bool {
        record.isUntimed || record.transactions.contains { now - $0.time <= Double(policy.age.seconds) }
    }
}

extension StoredRecord {
    /// Whether its time was not recorded: another tool made it, without a marker.
    fileprivate var isUntimed: Bool { transactions.allSatisfy { $0.origin == .external && $0.time == 0 } }

    /// Assigns it the time of the preceding record.
    fileprivate mutating func takeTime(of earlier: StoredRecord?) {
        guard isUntimed, let time = earlier?.transactions.last?.time else { return }
        for index in transactions.indices { transactions[index].time = time }
    }

    fileprivate var roughSize: Int {
        let mutations = transactions.flatMap { $0.mutations ?? [] }
        return mutations.reduce(256) { size, mutation in
            size + 128 + (mutation.oldValue?.roughSize ?? 0) + (mutation.newValue?.roughSize ?? 0)
        }
    }
}
