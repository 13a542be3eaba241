/// The opening of a group, while the group's initializer runs.
///
/// A task-local value, because a property wrapper knows neither the struct around it nor the code that creates it.
final class GroupOpening: Sendable {
    @TaskLocal static var current: GroupOpening?

    let keeper: StoreKeeper

    private init(_ keeper: StoreKeeper) {
        self.keeper = keeper
    }

    /// Creates a group whose settings keep a store open.
    static func make<Group: SettingsGroup>(_ type: Group.Type, keeping keeper: StoreKeeper) -> Group {
        $current.withValue(GroupOpening(keeper)) { Group() }
    }
}
