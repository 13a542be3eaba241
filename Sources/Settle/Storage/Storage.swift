/// Where a store keeps its values: a file, memory, or something of your own.
///
/// A store calls its storage from one serial queue, one call at a time, so an implementation needs no lock for its
/// own state beyond what `Sendable` asks for. Calls may block. A storage never calls the store: what happens outside
/// goes into ``externalChanges``.
///
/// `StorageConformance` in `SettleTesting` checks an implementation against these guarantees.
public protocol Storage: Sendable {
    /// Reads everything that is stored.
    ///
    /// - Returns: What was found; see ``StorageContents``.
    /// - Throws: ``StorageError`` if the state can't be read at all. After that nothing may be written over it: every
    ///   later ``append(_:durability:)`` throws until a `load` succeeds.
    func load() throws(StorageError) -> StorageContents

    /// Adds a batch to what is stored. All of it is added or none of it.
    ///
    /// After a throw the storage still has everything that it had before, and the same batch may be appended again,
    /// alone or merged with later ones.
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError)

    /// Brings what was appended into the storage's resting form (for a file: the readable file, synced).
    func checkpoint() throws(StorageError)

    /// What changes in the storage without the store's doing. The stream ends when the storage closes.
    var externalChanges: AsyncStream<StorageContents> { get }

    /// Releases what the storage holds. Called once, after the last append.
    func close()
}

/// How safe an appended batch must be when ``Storage/append(_:durability:)`` returns.
public enum StorageDurability: Sendable, Hashable {
    /// Survives the end of this process, but not necessarily that of the machine.
    case process
    /// On stable storage: survives a loss of power.
    case stable
}

/// The new values of some keys, from one or more transactions.
public struct StorageBatch: Sendable, Hashable {
    /// The revision that is complete once this batch is stored. Revisions of successive batches rise.
    public var revision: UInt64
    /// The new value of each changed key; `nil` means that the key is no longer stored. Keys are dotted paths.
    public var values: [String: SettingValue?]

    public init(revision: UInt64, values: [String: SettingValue?]) {
        self.revision = revision
        self.values = values
    }
}

/// What a storage holds.
public struct StorageContents: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// Nothing has been stored yet.
        case absent
        /// All that was stored was read.
        case intact
        /// What was stored is damaged: `description` says where it was put aside and what is used instead.
        case recovered(description: String)
    }

    public var tree: SettingTree
    public var outcome: Outcome

    public init(tree: SettingTree = SettingTree(), outcome: Outcome) {
        self.tree = tree
        self.outcome = outcome
    }
}

/// Why a storage could not do what was asked.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An extensible kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        public init(_ description: String) { self.description = description }

        /// The stored state exists but cannot be read (permission, I/O, a newer format).
        public static let unreadable = Code("unreadable")
        /// A write or sync failed; the stored state is the old one or, after a failed last sync, the new one.
        public static let writeFailed = Code("writeFailed")
        /// The device has no room or the quota is used up.
        public static let noSpace = Code("noSpace")
        /// The process may not write there.
        public static let permissionDenied = Code("permissionDenied")
        /// A value has no spelling in the storage's format.
        public static let unsupportedValue = Code("unsupportedValue")
        /// The storage has been closed.
        public static let closed = Code("closed")
    }

    public var code: Code
    /// A sentence that a person can act on: what failed, on which file or key, and by which rule.
    public var description: String
    /// The operating system's error number, where there is one.
    public var errno: Int32?

    public init(_ code: Code, _ description: String, errno: Int32? = nil) {
        self.code = code
        self.description = description
        self.errno = errno
    }
}
