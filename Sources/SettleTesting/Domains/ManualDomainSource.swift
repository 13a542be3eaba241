public import Settle

/// An in-memory domain whose values a test sets.
public final class ManualDomainSource: DomainSource {
    private struct State: Sendable {
        var result: Result<DomainContents, StorageError>
        var changed: (@Sendable () -> Void)?
        var loadCount = 0
    }

    public let isRequired: Bool
    private let name: String
    private let state: LockedValue<State>

    /// Creates a domain; by default an empty one that is not required for opening a store.
    ///
    /// - Parameters:
    ///   - contents: The initial contents.
    ///   - name: The name by which it describes the source of a key's value.
    ///   - isRequired: Whether a store must not open if the first load fails.
    public init(_ contents: DomainContents = DomainContents(), name: String = "the test", isRequired: Bool = false) {
        self.name = name
        self.isRequired = isRequired
        state = LockedValue(State(result: .success(contents)))
    }

    /// Replaces all values, and reports the change.
    public func set(_ tree: SettingTree) {
        set(DomainContents(tree, isText: state.withLock { (try? $0.result.get().isText) ?? false }))
    }

    /// Replaces the contents, and reports the change.
    public func set(_ contents: DomainContents) {
        become(.success(contents))
    }

    /// Makes loads throw until the next call of `set`, and reports the change.
    public func fail(with error: StorageError) {
        become(.failure(error))
    }

    /// Reports a change, whether or not one happened.
    public func report() {
        state.withLock { $0.changed }?()
    }

    /// The number of loads, including those that threw.
    public var loadCount: Int { state.withLock { $0.loadCount } }

    /// Whether changes are reported to a store.
    public var isWatched: Bool { state.withLock { $0.changed != nil } }

    private func become(_ result: Result<DomainContents, StorageError>) {
        state.withLock { $0.result = result }
        report()
    }

    public func load() async throws(StorageError) -> DomainContents {
        try state.withLock { state in
            state.loadCount += 1
            return state.result
        }.get()
    }

    public func watch(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.changed = changed }
        // Reports changes made since the first load.
        changed()
    }

    public func place(of key: SettingKey) -> String { "\(name), “\(key)”" }

    public func close() async {
        state.withLock { $0.changed = nil }
    }
}
