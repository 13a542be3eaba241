import Settle
import SettleHTTP

/// Follows a store for one connection of a page.
///
/// The store's changes report the effective values of all domains. They omit changes by others to undeclared keys, so
/// the values of these keys are compared. Both use one wait, in the connection's own task.
struct StoreFollower {
    /// The changes since the last request.
    struct Update: Sendable {
        var keys: Set<SettingKey> = []
        /// Whether anything may have changed.
        var isEverything = false
        /// Whether it is the first of the stream.
        var isBeginning = false

        var isEmpty: Bool { keys.isEmpty && !isEverything }
    }

    private let store: SettingsStore
    /// The keys of the panel that no group declares, with their values at the last check.
    private var undeclared: [(key: SettingKey, value: SettingValue?)]
    /// Whether there are too many of these to compare them, so that each wake may be a change of one.
    private let exceedsLimit: Bool
    private var watch: ContentWatch
    private var changes: Changes.Reader
    private let ending: EventStreamControl.Part
    private var isBeginning = true

    /// The maximum number of keys compared and reported individually. More are reported as everything.
    private static let limit = 1000

    /// Begins to follow.
    ///
    /// - Parameter undeclared: The keys of the panel that no group declares.
    init(_ store: SettingsStore, undeclared: [SettingKey], ending: EventStreamControl) {
        self.store = store
        watch = ContentWatch(store)
        changes = store.changes.makeReader()
        exceedsLimit = undeclared.count > Self.limit
        self.undeclared = exceedsLimit ? [] : undeclared.map { ($0, store.keys[$0]) }
        self.ending = ending.part(waking: watch)
    }

    /// Whether the stream was ended, or the session of its browser.
    var isEnded: Bool { ending.isEnded }

    /// Waits for an update. Returns one at once at the beginning, and an empty one for each heartbeat.
    ///
    /// - Returns: `nil` at the end.
    mutating func next(isolation actor: isolated (any Actor)?) async -> Update? {
        if isBeginning {
            isBeginning = false
            return isEnded || Task.isCancelled ? nil : Update(isBeginning: true)
        }
        while !isEnded {
            switch await watch.next(isolation: actor) {
            case .finished: return nil
            case .interrupted: return Update()
            case .changed:
                let update = takeUpdate()
                if !update.isEmpty { return update }
            }
        }
        return nil
    }

    private mutating func takeUpdate() -> Update {
        var update = Update()
        while let change = changes.next() {
            if change.missed != .nothing { update.isEverything = true }
            let keys = change.mutations.map { SettingKey(stored: $0.key) }
            update.keys.formUnion(keys)
            // A control has the declared key, where the value may be stored under a name with dots.
            update.keys.formUnion(store.keys.declaredKeys(forKeys: keys).compactMap { $0 })
        }
        for (index, (key, value)) in undeclared.enumerated() {
            let now = store.keys[key]
            guard now != value else { continue }
            undeclared[index].value = now
            update.keys.insert(key)
        }
        if exceedsLimit || update.keys.count > Self.limit { update.isEverything = true }
        if update.isEverything { update.keys = [] }
        return update
    }
}
