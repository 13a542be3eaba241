/// How much a storage can store at once, and in what time. `nil` means no limit.
///
/// An `update` or `commit` that writes more keys, or several with more bytes, is refused before anything changes, and a
/// single value with more bytes is refused as one that can't be saved. Pending values are stored in several batches if
/// they have to be, in the order in which they were written; the values of one transaction stay in one batch.
public struct StorageLimits: Sendable, Hashable {
    /// How many keys a batch may have.
    public var keys: Int?
    /// How many bytes the values of a batch may have, as an estimate of their encoded size.
    public var bytes: Int?
    /// How long a call may take, by the store's clock. Then another thread than the one that it may have blocked
    /// cancels the call's task, and the storage should end it: with ``StorageError/Code/unavailable``, and for an
    /// append with ``StorageError/isOutcomeUnknown`` if the batch is under way. If the storage does not end it, the
    /// store waits.
    ///
    /// Applies to every call that throws, except checkpoints and preserving values.
    public var time: Duration?
    /// Whether programs of other versions use the values at the same time, such as those on a cluster's other machines.
    /// Then a migration may only add values: a step that removes or changes one, or gives it another key, is refused.
    public var sharesVersions: Bool
    /// Whether stores record what their commits read, in ``StorageBatch/reads``, so that the storage can compare these
    /// keys instead of all. Reads of settings then take a few nanoseconds longer.
    public var comparesReads: Bool

    /// Creates limits; by default none.
    public init(
        keys: Int? = nil, bytes: Int? = nil, time: Duration? = nil, sharesVersions: Bool = false,
        comparesReads: Bool = false
    ) {
        self.keys = keys
        self.bytes = bytes
        self.time = time
        self.sharesVersions = sharesVersions
        self.comparesReads = comparesReads
    }
}

extension StorageLimits {
    /// Makes a call of the storage, and cancels its task when it takes longer than ``time``.
    @inline(never) func call<Value: Sendable>(
        _ clock: @autoclosure () -> TimeSource, _ body: @escaping @Sendable () async throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        guard let time else { return try await body() }
        let clock = clock()
        return try await clock.run(until: clock.elapsed() + time.bounded, body).result.get()
    }
}
