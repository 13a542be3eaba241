/// What keeps a store open: every handle has it, every opened group, and what is not saved yet.
///
/// The store itself has its settings, whose boxes have the store. So it can't go away by itself: when the last reference to its
/// keeper does, that ends it.
@usableFromInline
package final class StoreKeeper: Sendable {
    @usableFromInline let core: StoreCore

    /// - Parameter core: A new one, which is not shared yet.
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
/// A property wrapper does not know the struct around it, nor who makes that.
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
