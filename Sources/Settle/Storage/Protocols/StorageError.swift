/// The reason why a storage could not do what was asked.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An extensible kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Creates a kind of failure with its name.
        public init(_ description: String) { self.description = description }

        /// The stored state exists but cannot be read (permission, I/O, a newer format).
        public static let unreadable = Code("unreadable")
        /// The file's name implies no format, and none was given.
        public static let unknownFormat = Code("unknownFormat")
        /// A write or sync failed; the stored state is the old one or, after a failed last sync, the new one.
        public static let writeFailed = Code("writeFailed")
        /// The device has no room or the quota is used up.
        public static let noSpace = Code("noSpace")
        /// The process may not write there.
        public static let permissionDenied = Code("permissionDenied")
        /// Another process holds the storage's lock.
        public static let locked = Code("locked")
        /// The storage's format can't represent a value.
        public static let unsupportedValue = Code("unsupportedValue")
        /// Others have stored something since the position on which the batch depends. Nothing was stored.
        public static let conflict = Code("conflict")
        /// The lease required for the batch has ended. Nothing was stored.
        public static let leaseLost = Code("leaseLost")
        /// The stored values have been migrated with a step that the program does not know, or their record of
        /// migrations can't be read. Nothing was stored.
        public static let migrated = Code("migrated")
        /// The storage does not support the request, whatever its contents.
        public static let unsupported = Code("unsupported")
        /// The storage can't be reached.
        public static let unavailable = Code("unavailable")
        /// The storage has been closed.
        public static let closed = Code("closed")
    }

    /// The kind of failure. The store acts on ``Code/conflict``, ``Code/leaseLost`` and ``Code/unsupportedValue``.
    public var code: Code
    /// A sentence that the user can act on: what failed, on which file or key, and by which rule.
    public var description: String
    /// The operating system's error number, where there is one.
    public var errno: Int32?
    /// Whether the batch may have been stored although the append has failed, for example because the answer of a
    /// server was lost. The store then repeats the same batch.
    public var isOutcomeUnknown: Bool

    /// Creates an error; by default nothing was stored.
    public init(_ code: Code, _ description: String, errno: Int32? = nil, isOutcomeUnknown: Bool = false) {
        self.code = code
        self.description = description
        self.errno = errno
        self.isOutcomeUnknown = isOutcomeUnknown
    }
}

extension StorageError {
    /// Others have stored something first.
    static let others = StorageError(.conflict, "The settings have changed since the transaction read them.")

    /// Returns the error for a value that is larger than the storage accepts.
    static func tooLarge(_ size: Int, limit: Int) -> StorageError {
        StorageError(.unsupportedValue, "It needs \(size) bytes, and the limit is \(limit).")
    }
}
