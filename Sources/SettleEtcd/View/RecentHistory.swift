import Settle

/// The newest transactions of a cluster under a prefix, without a hole.
///
///     beginning ──▶ records ──▶ end
///         ▲            ▲         ▲
///         │            │         └ the stream adds newer ones
///         │            └ begun: what was read when the storage was loaded, or later
///         └ what was read of earlier ones is put here, as far as somebody asks for it
struct RecentHistory: Sendable {
    /// The token before the first of them; `nil` if none is known.
    private(set) var beginning: ChangeToken?
    private(set) var records: ArraySlice<StoredRecord> = []
    /// Whether nothing earlier can be read, or held.
    private(set) var isComplete = false
    /// How much of it is shown to those who ask what came before.
    var policy = HistoryPolicy.none { didSet { isComplete = false } }
    /// The first revision that the store has not been told of: from there on nothing is told by the history either.
    var firstUntold: Int64?
    /// Of what is told to those who ask for the past.
    var secrets: Set<SettingKey> = []

    /// The token of what was read. Followers may have it, although nothing may have been stored at its revision.
    private var begun: ChangeToken?
    /// An own transaction that is stored, while what came before it may be unknown still.
    private var landed: ChangeToken?
    /// About how many bytes the records have.
    private var size = 0

    /// How many are held for those who resume after a token, and how many bytes. A policy may ask for more.
    static let limit = 1_024
    static let sizeLimit = 4 << 20

    private var limit: Int { max(Self.limit, policy.transactions) }
    private var sizeLimit: Int { max(Self.sizeLimit, policy.bytes) }

    /// The token of the newest transaction that may be told.
    var end: ChangeToken? {
        if let landed, isTold(landed) { return landed }
        guard let newest = records.last(where: { isTold($0.token) })?.token else { return begun ?? beginning }
        return begun.map { $0.position > newest.position ? $0 : newest } ?? newest
    }

    private func isTold(_ token: ChangeToken) -> Bool {
        firstUntold.map { Int64(clamping: token.position) < $0 } ?? true
    }

    /// The place of the transaction at a revision.
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

    /// What is known begins later than was thought.
    mutating func moveBeginning(to token: ChangeToken) { (beginning, begun) = (token, token) }

    /// Puts what came before the beginning in front.
    ///
    /// - Parameters:
    ///   - earlier: Oldest first, without a hole up to the beginning.
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

    /// An own transaction is stored; its record comes later.
    mutating func expect(_ token: ChangeToken) { landed = token }

    mutating func add(_ record: StoredRecord) {
        var record = record
        record.transactions = record.transactions.map { $0.withholding(secrets) }
        record.takeTime(of: records.last)
        records.append(record)
        size += record.roughSize
        if let token = landed, token.position <= record.token.position { landed = nil }
        // What is untold stays: the place before it is that of the end.
        while records.count > limit || size > sizeLimit, let first = records.first, isTold(first.token) {
            records.removeFirst()
            beginning = first.token
            isComplete = true
            size -= first.roughSize
        }
        if let begun, let beginning, begun.position < beginning.position { self.begun = nil }
    }

    /// Those that may be told.
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
    /// What the policy shows of those before a token.
    struct Page: Equatable {
        /// Newest first.
        var records: [StoredRecord]
        /// Whether there are as many as were asked for, or no more will be found.
        var isEnough: Bool
    }

    /// Those before a token, as the policy shows them.
    ///
    /// - Parameters:
    ///   - token: `nil` for the end.
    ///   - limit: How many at most.
    ///   - now: In seconds since the reference date.
    /// - Returns: `nil` if the token is one of another history.
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

    /// So many that are too old in a row are the end of what the policy shows: the clock of one client may be wrong.
    private static let patience = 64

    /// One that is not too old. All that follow it count as young, too.
    private func isYoung(_ record: StoredRecord, now: Double) -> Bool {
        record.isUntimed || record.transactions.contains { now - $0.time <= Double(policy.age.seconds) }
    }
}

extension StoredRecord {
    /// Whether nobody has noted when it was: another tool has made it, without a marker.
    fileprivate var isUntimed: Bool { transactions.allSatisfy { $0.origin == .external && $0.time == 0 } }

    /// It counts as of the time of what came before it.
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
