public import Settle

/// A domain in memory, whose values a test sets.
public final class ManualDomainSource: DomainSource {
    private struct State: Sendable {
        var result: Result<DomainContents, StorageError>
        var changed: (@Sendable () -> Void)?
        var loadCount = 0
    }

    public let isRequired: Bool
    private let name: String
    private let state: LockedValue<State>

    /// Creates a domain; by default an empty one that a store can open without.
    ///
    /// - Parameters:
    ///   - contents: What it has at first.
    ///   - name: What it calls its place.
    ///   - isRequired: Whether a store must not open if the first load fails.
    public init(_ contents: DomainContents = DomainContents(), name: String = "the test", isRequired: Bool = false) {
        self.name = name
        self.isRequired = isRequired
        state = LockedValue(State(result: .success(contents)))
    }

    /// Replaces all values, and reports it.
    public func set(_ tree: SettingTree) {
        set(DomainContents(tree, isText: state.withLock { (try? $0.result.get().isText) ?? false }))
    }

    /// Replaces everything, and reports it.
    public func set(_ contents: DomainContents) {
        become(.success(contents))
    }

    /// Makes loads throw until the next call of `set`, and reports it.
    public func fail(with error: StorageError) {
        become(.failure(error))
    }

    /// Reports a change, whether or not there was one.
    public func report() {
        state.withLock { $0.changed }?()
    }

    /// How many loads there have been, with those that have thrown.
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
        // What has been set since the first load.
        changed()
    }

    public func place(of key: SettingKey) -> String { "\(name), “\(key)”" }

    public func close() async {
        state.withLock { $0.changed = nil }
    }
}
