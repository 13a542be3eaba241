/// A struct of settings.
///
/// ```swift
/// struct AppSettings: SettingsGroup {
///     @Setting var applicationVersion = "1.0"
///     let passcode = PasscodeSettings()
/// }
/// ```
///
/// Groups nest: the keys of `passcode` are `passcode.attemptCount` and so on. A group is cheap to copy, and every copy is the
/// same settings. One that no store has opened works in memory, for tests and previews.
public protocol SettingsGroup: Sendable, CustomStringConvertible {
    init()

    /// When the group's changes are saved. By default as the group around it, or the store's configuration, says.
    static var durability: Durability { get }

    /// Who may write the group's settings, and those of the groups within it: by default whoever has the store. A group within
    /// an owner's group is the owner's too.
    static var access: SettingsAccess { get }
}

extension SettingsGroup {
    public static var durability: Durability { .inherited }
    public static var access: SettingsAccess { .open }

    /// The store to which the group belongs; `nil` for a group without settings.
    var store: StoreCore? {
        guard let first = GroupLayout.firstBox(of: self) else { return nil }
        if let core = first.original.attachment?.core, !core.isUnopened { return core }
        _ = UnopenedGroups.channel(of: self)
        return UnopenedGroups.core
    }

    /// Runs a transaction: all writes of the closure become visible and are saved together, or none is.
    ///
    /// The closure sees its own writes; nobody else sees them before it has ended. If it throws, all of them are undone. An
    /// `update` inside another one, of whatever group of the same store, is a part of it. The transaction gets one
    /// revision and is one change for subscribers. The closure is executed at once, on the calling thread, while other
    /// writers of the store wait.
    ///
    /// - Parameters:
    ///   - writer: The name by which ``Change/writer`` tells who made the change.
    ///   - body: What is written. It must be quick, since other writers wait.
    /// - Throws: ``SettingsError`` if written values break their rules, which names all of them, or if the store is closed.
    @discardableResult
    public func update<Result>(by writer: String? = nil, _ body: () -> Result) throws(SettingsError) -> Result {
        guard let store else { return body() }
        return try store.transact(origin: .local, writer: writer, failing: { $0 }) { () throws(SettingsError) in body()
        }
    }

    /// Runs a transaction whose closure may throw, which undoes all that it has written.
    ///
    /// - Throws: What the closure throws; else as the form with a closure that throws nothing.
    @discardableResult
    public func update<Result>(by writer: String? = nil, _ body: () throws -> Result) throws -> Result {
        guard let store else { return try body() }
        return try store.transact(origin: .local, writer: writer, body)
    }

    /// Runs a transaction with the group as the closure's argument.
    @discardableResult
    public func update<Result>(by writer: String? = nil, _ body: (Self) -> Result) throws(SettingsError) -> Result {
        try update(by: writer) { body(self) }
    }

    /// Runs a transaction whose closure may throw, with the group as its argument.
    @discardableResult
    public func update<Result>(by writer: String? = nil, _ body: (Self) throws -> Result) throws -> Result {
        try update(by: writer) { try body(self) }
    }

    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// Commits are serial, also with those of other processes: the storage is locked from taking in what others have stored
    /// until it has what the closure wrote. Nobody can get in between, so the closure sees the newest values and runs exactly
    /// once. Commits that arrive together share one write and one sync. The closure of an actor's method runs on the actor;
    /// any other may run on another thread than that of the caller, which waits.
    ///
    /// - Throws: As `update`; ``SettingsError`` if the storage can't be locked, before the closure has run; and
    ///   ``SettingsError`` if saving fails. In that last case the values are published nevertheless,
    ///   and the store goes on trying to save them.
    @discardableResult
    public func commit<Result: Sendable>(
        by writer: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        guard let store else { return try body() }
        guard !store.isUnopened else { throw SettingsError.notOpened(Self.self) }
        return try await store.commit(by: writer, body)
    }

    /// Runs a transaction, as ``commit(by:_:)-(_,()->Result)`` does, with the group as the closure's argument.
    @discardableResult
    public func commit<Result: Sendable>(
        by writer: String? = nil, _ body: (Self) throws -> Result
    ) async throws -> Result {
        try await commit(by: writer) { try body(self) }
    }

    /// Puts every setting of the group and of the groups within it back to its default, in one transaction. If this group is
    /// ``SettingsAccess/open``, groups within it that are their owner's stay as they are.
    ///
    /// - Throws: ``SettingsError`` if the store is closed.
    public func reset(by writer: String? = nil) throws(SettingsError) {
        guard let store else { return }
        let settings = GroupLayout(self).settings.filter { Self.access == .owner || $0.access == .open }
        let boxes = settings.map(\.box.original)
        try store.transact(origin: .reset, writer: writer, failing: { $0 }) { () throws(SettingsError) in
            for box in boxes { box.stageDefault() }
        }
    }
}
