/// A storage that counts its transactions in one order, and remembers some of them.
///
/// Its ``StorageContents``, ``StorageReceipt``s and ``ExternalChange``s have ``ChangeToken``s.
public protocol HistoryStorage: SharedStorage {
    /// The transactions after a place, oldest first.
    ///
    /// - Parameters:
    ///   - token: A place in any history.
    ///   - limit: How many records to return at most; 1 or more.
    /// - Returns: No records if nothing has come after the place. If the place is within transactions of which only the
    ///   sum is known, their record is the first. `nil` if it is not, or not any more, known what has:
    ///   the token belongs to another past, or to something that has been forgotten, or a record is missing after it.
    /// - Throws: ``StorageError`` if that can't be determined now.
    func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]?

    /// The transactions before a place, newest first, as far as they are known.
    ///
    /// - Parameters:
    ///   - token: A place in this history. The transaction at it is not among those returned. `nil` for the end.
    ///   - limit: How many records to return at most; 1 or more. Fewer, or none, if the history begins there.
    /// - Throws: ``StorageError`` if they can't be read now; with ``StorageError/Code/conflict`` if another past has
    ///   taken the place of the one that the token is of.
    func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord]

    /// The place of the newest transaction, with those of others that have been found until now. Read at any time; must
    /// not wait.
    var token: ChangeToken? { get }

    /// Whether batches are to have their ``StorageBatch/transactions``. Read at any time; must not wait.
    var keepsHistory: Bool { get }

    /// Keeps a history from now on, for all who share the storage; or none any more. Never called with
    /// ``HistoryPolicy/unchanged`` by a store.
    func keepHistory(_ policy: HistoryPolicy) async throws(StorageError)

    /// No value at these keys, or in them, is kept in the history, whoever writes it: they are secrets. Values that are
    /// kept already are removed.
    func withhold(_ keys: [SettingKey]) async throws(StorageError)

    /// The keys whose values are withheld, whoever has said so: a process that does not declare the secrets of others
    /// must not report their values as history. By default none.
    func withheldKeys() async throws(StorageError) -> Set<SettingKey>

    /// Removes all values at a key, and in it, from the history. What is stored stays.
    ///
    /// - Throws: ``StorageError``; with ``StorageError/Code/unsupported`` if what the history has can't be removed.
    func forgetHistory(of key: SettingKey) async throws(StorageError)
}

extension HistoryStorage {
    public func withheldKeys() async throws(StorageError) -> Set<SettingKey> { [] }
}
