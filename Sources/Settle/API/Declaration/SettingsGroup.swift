/// A struct of settings.
///
/// ```swift
/// struct AppSettings: SettingsGroup {
///     @Setting var applicationVersion = "1.0"
///     let passcode = PasscodeSettings()
/// }
/// ```
///
/// Groups nest: the keys of `passcode` are `passcode.attemptCount` and so on. A group is cheap to copy, and all copies
/// share the same settings. A group that no store has opened works in memory, for tests and previews.
///
/// A property declared with `var` that is neither a setting nor a group is not saved, and reported when the group is
/// opened, unless its name begins with an underscore. A property declared with `let` may be of any type.
public protocol SettingsGroup: Sendable, CustomStringConvertible {
    /// Creates the group with its defaults: those of the declarations, or the values that the initializer assigns to
    /// settings.
    ///
    /// A store calls it when it opens the group. Called directly, it creates a group that works in memory.
    init()

    /// The policy for saving the group's changes. Default: that of the group around it, or of the store's
    /// configuration.
    static var savePolicy: SavePolicy { get }

    /// The code that may write the settings of the group and of the groups within it. Default: any code that has the
    /// store. A group within an owner-only group is owner-only too.
    static var access: SettingsAccess { get }

    /// Whether the group's settings are meant for users, or are state that the program remembers. Default: for users.
    /// All groups within a group of state are state too.
    static var category: SettingsCategory { get }

    /// How a settings page shows the group within the group around it. Default: on a page of its own, with the words
    /// of the property's name as its title. For a group at the top level it has no meaning.
    static var presentation: GroupPresentation { get }
}

extension SettingsGroup {
    public static var savePolicy: SavePolicy { .inherited }
    public static var access: SettingsAccess { .open }
    public static var category: SettingsCategory { .configuration }
    public static var presentation: GroupPresentation { .page() }

    /// The engine that the group's settings are in; `nil` for a group without settings.
    var engine: Engine? {
        guard let first = GroupLayout.firstBox(of: self) else { return nil }
        if let engine = first.original.existingPlacement?.engine, !engine.isUnopened { return engine }
        _ = UnopenedGroups.topic(of: self)
        return UnopenedGroups.engine
    }

    /// Runs a transaction: all writes of the closure become visible and are saved together, or none of them.
    ///
    /// The closure sees its own writes; other threads see them only when it has ended. If it throws, all of them are
    /// undone. An `update` inside another one, of any group of the same store, is part of it. The transaction gets one
    /// revision and is one change for subscribers. The closure runs immediately, on the calling thread, while other
    /// writers of the store wait.
    ///
    /// - Parameters:
    ///   - author: The name for ``Change/author``.
    ///   - body: Writes the settings. It must be quick, because other writers wait.
    /// - Throws: ``SettingsError`` if written values break their rules or are dates that are not finite, in which case
    ///   it names all of them, or if the store is closed.
    @discardableResult
    public func update<Result>(author: String? = nil, _ body: () -> Result) throws(SettingsError) -> Result {
        guard let engine else { return body() }
        return try engine.transact(origin: .local, author: author, failing: { $0 }) { () throws(SettingsError) in body()
        }
    }

    /// Runs a transaction whose closure may throw, which undoes all its writes.
    ///
    /// - Throws: The closure's error; otherwise as the variant whose closure does not throw.
    @discardableResult
    public func update<Result>(author: String? = nil, _ body: () throws -> Result) throws -> Result {
        guard let engine else { return try body() }
        return try engine.transact(origin: .local, author: author, body)
    }

    /// Runs a transaction with the group as the closure's argument.
    @discardableResult
    public func update<Result>(author: String? = nil, _ body: (Self) -> Result) throws(SettingsError) -> Result {
        try update(author: author) { body(self) }
    }

    /// Runs a transaction whose closure may throw, with the group as its argument.
    @discardableResult
    public func update<Result>(author: String? = nil, _ body: (Self) throws -> Result) throws -> Result {
        try update(author: author) { try body(self) }
    }

    /// Resets every setting of the group and of the groups within it to its default, in one transaction. If this group
    /// is ``SettingsAccess/open``, owner-only groups within it stay as they are. Values in the secret store
    /// (``SettingStorage/secrets``) stay too, except in an update of the domain ``DomainName/secretStore``, which resets
    /// only these.
    ///
    /// - Throws: ``SettingsError`` if the store is closed, if one of these groups was released, or if more values are
    ///   stored than the storage can change at once. Then nothing is reset.
    public func reset(author: String? = nil) throws(SettingsError) {
        guard let engine else { return }
        let settings = GroupLayout(self).settings.filter { Self.access == .owner || $0.access == .open }
        let boxes = settings.map(\.box.original)
        try engine.transact(origin: .reset, author: author, failing: { $0 }) { () throws(SettingsError) in
            for box in boxes { try box.checkRelease() }
            for box in boxes where box.isResettable { box.stageDefault() }
        }
    }
}
