/// The source of a domain's values.
///
/// A store loads the source when it opens, and again each time the source reports that something may have changed. The
/// store compares the values itself, so a source may report too often. A domain whose source fails keeps its last good
/// values, and the store reports the error on ``SettingsStore/issues``; a store opens without a domain that can't be
/// loaded, unless ``isRequired``.
///
/// `SettleTesting` has the checks that every source must pass.
public protocol DomainSource: Sendable {
    /// Reads all values. May wait for a disk or a network; never called twice at the same time.
    ///
    /// - Throws: ``StorageError`` with what can't be read and why.
    func load() async throws(StorageError) -> DomainContents

    /// Registers a function to call whenever something may have changed, until the source closes. Called once, after
    /// the first load. Returns immediately. The function returns immediately too, and may be called on any thread. Not
    /// called for an ``AsyncDomainSource``.
    func watch(_ changed: @escaping @Sendable () -> Void)

    /// Returns where a value is, for people: such as `“/etc/settle/managed/app.json”, line 3`, or `the variable
    /// APP_PORT`.
    ///
    /// Called at any time, on any thread; for an error or an explanation, so it may read a file once more.
    func place(of key: SettingKey) -> String

    /// Whether a store must not open if the first load fails.
    var isRequired: Bool { get }

    /// Ends watching. Called once.
    func close() async
}

extension DomainSource {
    public func watch(_ changed: @escaping @Sendable () -> Void) {}
    public var isRequired: Bool { false }
    public func close() async {}
}
