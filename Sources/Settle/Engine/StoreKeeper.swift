/// Keeps a store open: referenced by every handle, every opened group, and unsaved changes.
///
/// The store references its settings, whose boxes reference the store. This cycle would keep the store alive forever;
/// so releasing the last reference to the keeper ends the store.
@usableFromInline
package final class StoreKeeper: Sendable {
    @usableFromInline let core: StoreCore

    /// - Parameter core: A new one that is not shared yet.
    init(of core: StoreCore) {
        self.core = core
        core.begin(keptBy: self)
    }

    deinit {
        core.end()
    }
}

/// The opening of a group, while the group's initializer runs.
///
/// A task-local value, because a property wrapper knows neither the struct around it nor the code that creates it.
final class GroupOpening: Sendable {
    @TaskLocal static var current: GroupOpening?

    let keeper: StoreKeeper

    private init(_ keeper: StoreKeeper) {
        self.keeper = keeper
    }

    /// Makes a group whose settings keep a store open.
    static func make<Group: SettingsGroup>(_ type: Group.Type, keeping keeper: StoreKeeper) -> Group {
        $current.withValue(GroupOpening(keeper)) { Group() }
    }
}
