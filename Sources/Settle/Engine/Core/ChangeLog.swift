/// The changes that a store has published: the revisions, which `ring` assigns, the newest transactions, and which of
/// them are on stable storage.
struct ChangeLog: ~Copyable {
    private let root: Topic
    private let durability: Topic
    /// The topic of subscribers of the application's values, and of those that follow the storage's history with all
    /// else, once there was a subscriber. It is around `root`, so that it costs other stores nothing.
    private var application: Topic?
    /// The topic of drafts, which show values that other domains cover, once there was a draft.
    private var covered: Topic?
    /// The topics of groups, by path.
    private var topics: [SettingKey: Topic] = [:]
    var ring: MutationRing
    /// Transactions up to here are on stable storage, apart from those in `undurable`.
    private(set) var durableRevision: UInt64 = 0
    /// The token before the store's first transaction that is not on stable storage; `nil` if there is none. It stays
    /// known when the log drops the transaction.
    private var undurablePlace: ChangeToken?
    private(set) var undurable = UndurableSettings()
    var waking = WakingList()
    /// Released settings, kept because the ring references them without counting.
    private var released: [SettingSlot] = []
    /// The number of external transactions. A local write never changes it.
    private(set) var externalCount: UInt64 = 0
    /// The number of transactions that had nothing for the storage: those of others, of other domains, and of settings
    /// in memory.
    var unappendedCount: UInt64 = 0
    var appended = AppendedRevisions()
    /// How often values may have arrived for keys that no group declares, from a domain or from outside.
    var arrivals: UInt64 = 0

    /// - Parameters:
    ///   - root: The topic of the store.
    ///   - durability: The topic of subscribers that wait for transactions to become durable.
    init(_ ring: consuming MutationRing, root: Topic, durability: Topic) {
        self.ring = ring
        self.root = root
        self.durability = durability
    }

    /// The newest transaction.
    var revision: UInt64 { ring.newest }

    // MARK: Recording

    /// Assigns the next revision to a transaction that is more than one local write of a word.
    mutating func append(_ details: LogDetails, time: Double) -> DroppedEntries {
        if details.origin == .external { externalCount &+= 1 }
        if !details.isOwn { unappendedCount &+= 1 }
        return ring.append(details, time: time)
    }

    /// Records that the newest transaction has changed a setting.
    mutating func touch(_ slot: SettingSlot, _ node: ObservationNode, isPersistent: Bool) {
        waking.touch(slot, node, by: ring.newest, isPersistent: isPersistent)
    }

    /// Records that a value of a setting has changed that another domain covers: the application's, or one below that.
    /// Those who read a draft have read that value.
    mutating func notify(_ slot: SettingSlot, _ node: ObservationNode) {
        if covered != nil { waking.notify(slot, node) }
    }

    /// Records that the newest transaction has changed values of the application's domain that others cover.
    mutating func touchCovered(by details: LogDetails) {
        guard application != nil || covered != nil,
            details.mutations.contains(where: { $0.scope == .application })
        else { return }
        if let application { waking.touch(application, by: ring.newest, isPersistent: details.isPersistent) }
        if let covered { waking.touch(covered, by: ring.newest, isPersistent: details.isPersistent) }
    }

    // MARK: The storage's history

    /// The number of transactions so far that had something for the storage.
    var ownCount: UInt64 { ring.newest &- unappendedCount }

    /// Records the positions of transactions in the storage's history.
    mutating func place(_ revisions: ClosedRange<UInt64>, at token: ChangeToken, count: UInt64, isOwn: Bool) {
        appended.add(revisions, at: token, count: count, isOwn: isOwn, oldest: ring.oldest)
        guard isOwn, revisions.upperBound > durableRevision, undurablePlace?.history != token.history else { return }
        undurablePlace = token.moved(back: count)
    }

    /// Records the position of a transaction of others, which came after a revision if it has changed anything.
    mutating func place(after revision: UInt64, at token: ChangeToken) {
        guard ring.newest > revision else { return }
        place(ring.newest...ring.newest, at: token, count: 1, isOwn: false)
    }

    /// Returns the token of a transaction in the storage's history, once it has one.
    func token(of revision: UInt64) -> ChangeToken? {
        guard revision <= appended.last else { return nil }
        return appended.token(of: revision) { ring.isOwn($0) }
    }

    /// Returns the revision of the transaction at a token; 0 if it has none here.
    func revision(at token: ChangeToken) -> UInt64 {
        appended.revision(at: token) { ring.isOwn($0) } ?? 0
    }

    // MARK: Durability

    /// Records that everything up to a revision is on stable storage.
    mutating func becomeDurable(_ revision: UInt64) {
        guard revision > durableRevision else { return }
        durableRevision = revision
        // The tokens of transactions that the log has dropped are forgotten: then the known one stays.
        if revision >= appended.last || revision &+ 1 >= ring.oldest {
            undurablePlace = appended.ownPlace(before: revision)
        }
        waking.add(durability)
    }

    /// Returns whether a token is on stable storage. This includes the token of a transaction that the log has dropped.
    /// A transaction of others counts as durable unless it comes after one of this store that is not.
    ///
    /// - Parameter revision: The revision of the transaction at the token; 0 if it is not known.
    func isDurable(_ revision: UInt64, at token: ChangeToken) -> Bool {
        guard revision == 0 else { return revision <= durableRevision }
        guard let undurablePlace, undurablePlace.history == token.history else { return true }
        return token.position <= undurablePlace.position
    }

    /// Records the same, except for the newest values of settings that can't be encoded.
    mutating func becomeDurable(_ revision: UInt64, without unencodable: some Sequence<SettingSlot>) {
        if undurable.keep(unencodable, of: ring) { waking.add(durability) }
        becomeDurable(revision)
    }

    /// Records that a value that was written between two revisions could not be encoded.
    mutating func exclude(_ slot: SettingSlot, writtenIn revisions: ClosedRange<UInt64>) {
        undurable.add(slot, writtenIn: revisions, of: ring)
    }

    /// Records that values written by transactions after one revision, up to another, were given up.
    mutating func giveUp(_ keys: Set<SettingKey>, writtenAfter handedOver: UInt64, upTo last: UInt64) {
        undurable.giveUp(keys, writtenAfter: handedOver, upTo: last, of: ring)
    }

    /// Returns the revision up to which a topic's transactions, from one on, are on stable storage without a gap.
    func durableLimit(of topic: Topic, from first: UInt64) -> UInt64 {
        let limit = min(durableRevision, ring.newest)
        guard !undurable.revisions.isEmpty else { return limit }
        var gap = limit &+ 1
        for revision in undurable.revisions where revision >= max(first, ring.oldest) && revision < gap {
            if ring.concerns(revision, topic) { gap = revision }
        }
        return gap &- 1
    }

    /// Returns how many of a topic's transactions between two revisions were given up.
    func givenUpCount(of topic: Topic, from first: UInt64, to last: UInt64) -> UInt64 {
        var count: UInt64 = 0
        for revision in undurable.givenUp where revision >= max(first, ring.oldest) && revision <= last {
            if ring.concerns(revision, topic) { count &+= 1 }
        }
        return count
    }

    /// Returns whether the whole transaction is on stable storage.
    func isDurable(_ entry: LogEntry, _ revision: UInt64) -> Bool {
        revision <= durableRevision && entry.isPersistent && !undurable.revisions.contains(revision)
            && !undurable.givenUp.contains(revision)
    }

    // MARK: Looking back

    /// Returns how many kept transactions, from a revision on, have marked a topic.
    func count(of topic: Topic, from first: UInt64, persistentOnly: Bool) -> UInt64 {
        guard topic.lastRevision >= first, first <= ring.newest else { return 0 }
        var count: UInt64 = 0
        for revision in max(first, ring.oldest)...ring.newest where ring.concerns(revision, topic) {
            if persistentOnly, !ring.isPersistent(revision) { continue }
            count &+= 1
        }
        return count
    }

    /// Returns the store's own transactions after a revision with at least so many keys; `nil` if the log no longer has
    /// all of them.
    func transactions(after revision: UInt64, ofKeys count: Int) -> [(UInt64, LogDetails)]? {
        guard revision &+ 1 >= ring.oldest else { return nil }
        var found: [(UInt64, LogDetails)] = []
        var next = revision &+ 1
        while next <= ring.newest {
            let details = count > 1 ? ring.details(next) : ring[next]?.details
            if let details, details.mutations.count >= count, !details.isFromOutside { found.append((next, details)) }
            next &+= 1
        }
        return found
    }

    /// Returns the named author of the transactions after a revision.
    func author(after revision: UInt64) -> NamedAuthor {
        let count = ring.newest &- revision
        guard count > 0 else { return .nobody }
        guard count <= Self.authorSearchLimit, revision &+ 1 >= ring.oldest else { return .several }
        var author = NamedAuthor.nobody
        for revision in revision &+ 1...ring.newest {
            // A write of a word has no author, and external changes are stored already.
            if let details = ring.details(revision), !details.isFromOutside { author.add(NamedAuthor(details.author)) }
        }
        return author
    }

    /// How many transactions to examine for authors.
    private static let authorSearchLimit: UInt64 = 16

    // MARK: Topics

    /// Returns the topic of every transaction, including those that change only values that other domains cover.
    mutating func applicationTopic() -> Topic {
        if let application { return application }
        let topic = ApplicationTopic(parent: nil)
        (topic.changeCount, topic.persistentCount) = (root.changeCount, root.persistentCount)
        topic.lastRevision = root.lastRevision
        root.parent = topic
        application = topic
        return topic
    }

    /// Returns the topic of the transactions that change values of the application's domain that others cover.
    mutating func coveredTopic() -> Topic {
        if let covered { return covered }
        let topic = Topic(parent: nil)
        covered = topic
        return topic
    }

    /// Returns the topic of a group.
    mutating func topic(at path: SettingKey?) -> Topic {
        guard let path else { return root }
        if let topic = topics[path] { return topic }
        let topic = Topic(parent: topic(at: path.parent))
        topics[path] = topic
        return topic
    }

    /// Ends the streams of a topic.
    mutating func finish(_ topic: Topic) {
        topic.isFinished = true
        waking.add(topic)
        waking.add(durability)
    }

    /// Ends the streams of released settings and of the groups around them, up to a key.
    mutating func finish(_ settings: [(slot: SettingSlot, declaredKey: SettingKey)], upTo key: SettingKey?) {
        for (slot, declared) in settings {
            finish(slot)
            for group in declared.parents where key.map({ group == $0 || group.isWithin($0) }) ?? true {
                if let topic = topics.removeValue(forKey: group) { finish(topic) }
            }
        }
        released.removeAll { $0.lastRevision < ring.oldest }
        for (slot, _) in settings where slot.lastRevision >= ring.oldest { released.append(slot) }
    }

    /// Wakes every subscriber of the whole store, and every draft.
    mutating func wakeStore() {
        waking.add(root)
        if let application { waking.add(application) }
        if let covered { waking.add(covered) }
    }

    /// Wakes the subscribers of durable changes, and those of the storage's history with all else.
    mutating func wakeFollowers() {
        waking.add(durability)
        if let application { waking.add(application) }
    }

    /// Wakes every subscriber of a group or of the whole store, and every draft.
    mutating func wakeGroups() {
        wakeStore()
        waking.add(durability)
        for topic in topics.values { waking.add(topic) }
    }
}
