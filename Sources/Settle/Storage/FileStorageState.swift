/// What a ``FileStorage`` knows, and what it may and must do next. No I/O happens here.
///
///     unloaded ──┐
///     ready ─────┼─ load ─▶ ready | unreadable        every state ─ close ─▶ closed
///     unreadable ┘
///
/// Only `ready` allows a save. A save that fails before the rename changes nothing but ``unsyncedFolders``: the values
/// stay in ``pending``. One that fails after it has also changed ``standing``. In both cases ``mustWrite(_:_:)`` is
/// true until a save succeeds, so the next append writes everything, even with an empty batch.
struct FileStorageState: Sendable {
    enum Phase: Sendable {
        case unloaded, ready, closed
        case unreadable(StorageError)
    }

    /// What is known about the bytes that stand at the file's path.
    enum Standing: Sendable {
        case absent
        /// They are no settings. A copy has been put aside.
        case damaged
        /// They were read; whether they have reached stable storage is not known.
        case unknown
        /// They were written here and not synced.
        case unsynced
        /// They were written here and synced.
        case synced
    }

    private(set) var phase = Phase.unloaded
    private(set) var names: FileNames
    private(set) var format: FileFormat
    private(set) var standing = Standing.absent
    /// Folders made for the file and not synced yet.
    private(set) var unsyncedFolders: [FilePath] = []
    /// Everything: what the file holds with ``pending`` in it.
    private(set) var tree = SettingTree()
    /// The values that no successful save has written yet.
    private var pending: [String: SettingValue?] = [:]
    /// Whether the last save failed, or the file is to be replaced for another reason.
    private var isBehind = false

    init(names: FileNames, format: FileFormat) {
        self.names = names
        self.format = format
    }

    // MARK: Loading

    mutating func loaded(_ tree: SettingTree, from names: FileNames, _ standing: Standing, format: FileFormat) {
        phase = .ready
        self.names = names
        self.format = format
        // Reading back what was written here does not make it stable.
        if standing != .unknown || self.standing != .unsynced { self.standing = standing }
        self.tree = tree
        self.tree.apply(pending)
        isBehind = isBehind || standing == .damaged
    }

    mutating func loadFailed(_ error: StorageError) {
        phase = .unreadable(error)
    }

    // MARK: Saving

    /// Whether a save has anything to do.
    func mustWrite(_ batch: StorageBatch, _ durability: StorageDurability) -> Bool {
        if isBehind || !pending.isEmpty || !batch.values.isEmpty { return true }
        return durability == .stable && standing == .unsynced
    }

    /// Which version the next save keeps: only one that was good, and never an unsynced one in place of a synced one.
    var previous: FileReplacement.Previous {
        switch standing {
        case .absent, .damaged, .unsynced: .drop
        case .unknown: .syncAndKeep
        case .synced: .keep
        }
    }

    /// Takes over a batch that is about to be written.
    mutating func add(_ batch: StorageBatch, resultingIn tree: SettingTree) {
        pending.merge(batch.values) { _, new in new }
        self.tree = tree
    }

    mutating func saved(_ replacement: FileReplacement) {
        takeOver(replacement)
        pending = [:]
        isBehind = false
    }

    mutating func saveFailed(_ replacement: FileReplacement) {
        takeOver(replacement)
        isBehind = true
    }

    private mutating func takeOver(_ replacement: FileReplacement) {
        unsyncedFolders = replacement.unsyncedFolders
        if replacement.isInPlace { standing = replacement.isStable ? .synced : .unsynced }
    }

    // MARK: Closing

    mutating func close() {
        phase = .closed
    }
}
