/// Keeps settings in memory, for tests, previews and programs that should leave nothing behind.
///
/// Several storages can share one memory, as several processes share a file; see ``init(sharing:)``.
public final class InMemoryStorage: HistoryStorage {
    private let memory: SharedMemory
    /// Identifies this storage among those that share the memory.
    private let number: Int

    /// - Parameter tree: The initial contents. An empty tree counts as nothing stored yet.
    public init(_ tree: SettingTree = SettingTree()) {
        memory = SharedMemory(tree)
        number = memory.join()
    }

    /// Creates another storage on the same memory, for a second store.
    public init(sharing other: InMemoryStorage) {
        memory = other.memory
        number = memory.join()
    }

    /// The stored values. Available after ``close()`` too.
    public var tree: SettingTree {
        memory.state.withLock { $0.contents.tree }
    }

    /// Replaces all stored values, as another process would.
    ///
    /// Does nothing once the storage is closed.
    public func simulateExternalChange(_ tree: SettingTree) {
        simulate(ExternalChange(.everything(tree)))
    }

    /// Changes some keys, as another process would.
    ///
    /// Does nothing once the storage is closed.
    public func simulateExternalChange(_ values: [SettingKey: SettingValue?], author: String? = nil) {
        simulate(ExternalChange(.values(values), author: author))
    }

    private func simulate(_ change: ExternalChange) {
        let handlers = memory.state.withLock { state in
            state.members[number] == nil ? [] : state.store(change, by: nil)
        }
        for handle in handlers { handle(.mayHaveChanged) }
    }

    public func load() throws(StorageError) -> StorageContents {
        try memory.state.withLock { (state) throws(StorageError) in
            guard state.members[number] != nil else { throw Self.closed }
            state.members[number]?.isLoaded = true
            state.didSee(state.position, number)
            var contents = state.contents
            contents.position = StoragePosition(state.position)
            contents.token = state.history.end
            return contents
        }
    }

    @discardableResult
    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        let (receipt, handlers) = try await memory.change(by: number) { (state) throws(StorageError) in
            try state.append(batch, durability, by: member(in: state), number)
        }
        for handle in handlers { handle(.mayHaveChanged) }
        return receipt
    }

    public func changes(after position: StoragePosition) throws(StorageError) -> StorageChanges {
        try memory.state.withLock { (state) throws(StorageError) in
            _ = try member(in: state)
            return state.changes(after: position.number ?? 0, for: number)
        }
    }

    public func records(after token: ChangeToken, limit: Int) throws(StorageError) -> [StoredRecord]? {
        try memory.state.withLock { (state) throws(StorageError) in
            _ = try member(in: state)
            return state.history.records(after: token, limit: max(1, limit))
        }
    }

    public func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        try memory.state.withLock { (state) throws(StorageError) in
            _ = try member(in: state)
            return state.history.records(before: token, limit: max(1, limit))
        }
    }

    public var token: ChangeToken? { memory.state.withLock { $0.history.end } }

    public var keepsHistory: Bool { memory.state.withLock { $0.history.policy.isKept } }

    public func keepHistory(_ policy: HistoryPolicy) {
        if policy != .unchanged { memory.state.withLock { $0.history.policy = policy } }
    }

    public func withhold(_ keys: [SettingKey]) { memory.state.withLock { $0.history.withhold(keys) } }

    public func withheldKeys() -> Set<SettingKey> { memory.state.withLock { $0.history.secrets } }

    public func forgetHistory(of key: SettingKey) { memory.state.withLock { $0.history.forget(key) } }

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        memory.state.withLock { $0.members[number]?.handle = handle }
    }

    /// Waits as long as another storage of the memory has the lock.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try await memory.lock(for: number)
    }

    public func tryLock(named name: String) throws(StorageError) -> StorageLease? {
        try memory.state.withLock { (state) throws(StorageError) in
            _ = try member(in: state)
            guard state.names[name] == nil else { return nil }
            state.lastFence += 1
            state.names[name] = (number, state.lastFence)
            return StorageLease(
                name: name, fencingNumber: state.lastFence, position: StoragePosition(state.position))
        }
    }

    /// Checks a lease, which lasts until it is released.
    public func renew(_ lease: StorageLease) throws(StorageError) -> StorageLease {
        try memory.state.withLock { (state) throws(StorageError) in try state.check(lease, of: number) }
        return lease
    }

    public func unlock(_ lease: StorageLease) {
        memory.unlock(lease, number)
    }

    public func close() {
        memory.leave(number)
    }

    private func member(in state: SharedMemory.State) throws(StorageError) -> SharedMemory.Member {
        guard let member = state.members[number] else { throw Self.closed }
        guard member.isLoaded else { throw StorageError(.unreadable, "The in-memory storage has not been loaded yet.") }
        return member
    }

    private static let closed = StorageError(.closed, "The in-memory storage has been closed.")
}

/// The memory of one or more storages, and the changes to it that not all of them have seen.
private final class SharedMemory: Sendable {
    struct Member {
        var isLoaded = false
        /// The position up to which the storage has seen everything.
        var seen: UInt64 = 0
        var lastBatch: StorageBatch.ID?
        var handle: (@Sendable (StorageEvent) -> Void)?
    }

    struct Event {
        var position: UInt64
        /// The storage that made the change; `nil` for a simulated one.
        var author: Int?
        var change: ExternalChange
    }

    struct State {
        var contents: StorageContents
        var history = MemoryHistory()
        var position: UInt64 = 0
        var events: [Event] = []
        var members: [Int: Member] = [:]
        var lastMember = 0
        /// The storage that holds the lock for transactions.
        var holder: Int?
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The holder of each named lock, and the fencing number of the lease.
        var names: [String: (member: Int, fence: UInt64)] = [:]
        var lastFence: UInt64 = 0
    }

    let state: LockedValue<State>

    init(_ tree: SettingTree) {
        state = LockedValue(
            State(contents: StorageContents(tree: tree, outcome: tree.root.isEmpty ? .absent : .intact)))
    }

    func join() -> Int {
        state.withLock { state in
            state.lastMember += 1
            state.members[state.lastMember] = Member(seen: state.position)
            return state.lastMember
        }
    }

    func leave(_ number: Int) {
        let waiting = state.withLock { state in
            state.members[number] = nil
            state.names = state.names.filter { $0.value.member != number }
            state.trim()
            return state.unlock(number)
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until none of the other storages holds the lock for transactions.
    func wait(untilUnlockedFor number: Int) async {
        while true {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    let isFree = state.holder == nil || state.holder == number
                    if !isFree { state.waiting.append(continuation) }
                    return isFree
                }
                if isFree { continuation.resume() }
            }
            if state.withLock({ $0.holder == nil || $0.holder == number }) { return }
        }
    }

    func lock(for number: Int) async throws(StorageError) -> StorageLease {
        try await change(by: number) { (state) throws(StorageError) in
            guard state.members[number] != nil else {
                throw StorageError(.closed, "The in-memory storage has been closed.")
            }
            state.holder = number
            state.lastFence += 1
            return StorageLease(fencingNumber: state.lastFence, position: StoragePosition(state.position))
        }
    }

    /// Changes the state at a moment when none of the other storages holds the lock for transactions.
    func change<Result>(
        by number: Int, _ body: (inout State) throws(StorageError) -> Result
    ) async throws(StorageError) -> Result {
        while true {
            await wait(untilUnlockedFor: number)
            let result = try state.withLock { (state) throws(StorageError) -> Result? in
                // Another storage may have taken it since.
                guard state.holder == nil || state.holder == number else { return nil }
                return try body(&state)
            }
            if let result { return result }
        }
    }

    func unlock(_ lease: StorageLease, _ number: Int) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard let name = lease.name else { return state.unlock(number) }
            if state.isHeld(lease, by: number) { state.names[name] = nil }
            return []
        }
        for waiter in waiting { waiter.resume() }
    }
}

extension SharedMemory.State {
    fileprivate func isHeld(_ lease: StorageLease, by number: Int) -> Bool {
        guard let name = lease.name else { return holder == number }
        return names[name].map { $0 == (number, lease.fencingNumber) } ?? false
    }

    fileprivate func check(_ lease: StorageLease, of number: Int) throws(StorageError) {
        if isHeld(lease, by: number) { return }
        let lock = lease.name.map { "lock “\($0)”" } ?? "lock for transactions"
        throw StorageError(.leaseLost, "The \(lock) of the in-memory storage is no longer held. Nothing was stored.")
    }

    fileprivate mutating func unlock(_ number: Int) -> [CheckedContinuation<Void, Never>] {
        guard holder == number else { return [] }
        holder = nil
        defer { waiting = [] }
        return waiting
    }

    /// - Returns: Also the functions to call.
    fileprivate mutating func append(
        _ batch: StorageBatch, _ durability: StorageDurability, by member: SharedMemory.Member, _ number: Int
    ) throws(StorageError) -> (StorageReceipt, [@Sendable (StorageEvent) -> Void]) {
        var handlers: [@Sendable (StorageEvent) -> Void] = []
        if batch.id != member.lastBatch {
            for case .at(let expected) in batch.conditions where expected != StoragePosition(position) {
                throw StorageError(.conflict, "Another store has changed the in-memory storage.")
            }
            for case .migrated(let known) in batch.conditions { try contents.tree.checkMigrations(within: known) }
            for case .under(let lease) in batch.conditions { try check(lease, of: number) }
        }
        if !batch.values.isEmpty, batch.id != member.lastBatch {
            let hasSeenAll = member.seen == position
            handlers = store(
                ExternalChange(.values(batch.values), author: batch.author), by: number, batch.transactions,
                count: batch.transactionCount)
            members[number]?.lastBatch = batch.id
            if hasSeenAll { didSee(position, number) }
        }
        let hasNews = events.contains { $0.author != number && $0.position > (members[number]?.seen ?? 0) }
        return (
            StorageReceipt(
                position: StoragePosition(position), durability: durability, hasExternalChanges: hasNews,
                token: history.end), handlers
        )
    }

    /// - Parameters:
    ///   - transactions: The single transactions, if they are known.
    ///   - count: How many they are.
    fileprivate mutating func store(
        _ change: ExternalChange, by author: Int?, _ transactions: [StoredTransaction] = [], count: UInt64 = 1
    ) -> [@Sendable (StorageEvent) -> Void] {
        position += 1
        let before = contents.tree
        change.apply(to: &contents.tree)
        var change = change
        change.token = history.add(
            change, from: before, to: contents.tree, transactions, count: count, isExternal: author == nil)
        contents.outcome = .intact
        // A storage that loads later gets everything then.
        if members.values.contains(where: \.isLoaded) {
            events.append(SharedMemory.Event(position: position, author: author, change: change))
        }
        return members.filter { $0.key != author }.compactMap(\.value.handle)
    }

    fileprivate mutating func changes(after seen: UInt64, for number: Int) -> StorageChanges {
        var changes: [ExternalChange] = []
        for event in events where event.position > seen { changes.add(event.change, isOwn: event.author == number) }
        didSee(position, number)
        return StorageChanges(changes, position: StoragePosition(position))
    }

    fileprivate mutating func didSee(_ position: UInt64, _ number: Int) {
        members[number]?.seen = position
        trim()
    }

    /// Removes the changes that every storage has seen, or will see when it loads.
    fileprivate mutating func trim() {
        let seen = members.values.lazy.filter(\.isLoaded).map(\.seen).min() ?? position
        events.removeAll { $0.position <= seen }
    }
}
