/// A storage that counts its transactions in one order, and remembers some of them.
///
/// Its ``StorageContents``, ``StorageReceipt``s and ``ExternalChange``s have ``ChangeToken``s.
public protocol HistoryStorage: SharedStorage {
    /// Returns the transactions after a token, oldest first.
    ///
    /// - Parameters:
    ///   - token: A token of any history.
    ///   - limit: The maximum number of records to return; 1 or more.
    /// - Returns: No records if nothing has been stored after the token. If the token is within transactions of which
    ///   only the sum is known, their record is the first. `nil` if the transactions after it are not known, or no
    ///   longer: the token belongs to another history, or to a part that has been forgotten, or a record after it is
    ///   missing.
    /// - Throws: ``StorageError`` if that can't be determined now.
    func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]?

    /// Returns the transactions before a token, newest first, as far as they are known.
    ///
    /// - Parameters:
    ///   - token: A token of this history. Its own transaction is not among those returned. `nil` for the end.
    ///   - limit: The maximum number of records to return; 1 or more. Fewer, or none, if the history begins there.
    /// - Throws: ``StorageError`` if they can't be read now; with ``StorageError/Code/conflict`` if another history has
    ///   replaced that of the token.
    func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord]

    /// The token of the newest transaction, including those of others that have been found until now. Read at any time;
    /// must not wait.
    var token: ChangeToken? { get }

    /// Whether the store should fill in the ``StorageBatch/transactions`` of its batches. Read at any time; must not
    /// wait.
    var keepsHistory: Bool { get }

    /// Keeps a history from now on, for all who share the storage; or stops keeping one. A store never calls it with
    /// ``HistoryPolicy/unchanged``.
    func keepHistory(_ policy: HistoryPolicy) async throws(StorageError)

    /// Keeps all values at these keys, or in them, out of the history, no matter who writes them: they are secrets.
    /// Values that the history already has are removed.
    func withhold(_ keys: [SettingKey]) async throws(StorageError)

    /// Returns the keys whose values are withheld, no matter who has declared them: a process that does not declare the
    /// secrets of others must not report their values as history. By default there are none.
    func withheldKeys() async throws(StorageError) -> Set<SettingKey>

    /// Removes all values at a key, and in it, from the history. The stored values stay.
    ///
    /// - Throws: ``StorageError``; with ``StorageError/Code/unsupported`` if the history's values can't be removed.
    func forgetHistory(of key: SettingKey) async throws(StorageError)
}

extension HistoryStorage {
    public func withheldKeys() async throws(StorageError) -> Set<SettingKey> { [] }
}
