/// The position of a setting in the declarations of a store.
///
/// It does not depend on the order in which groups were opened. Opened groups are sorted by their key, and those at one
/// key by the names of their types. The settings of an opened group, and of the groups within it, have the order of
/// their declaration.
package struct DeclarationPosition: Sendable, Hashable, Comparable {
    package let group: OpenedGroup
    private let index: Int32

    init(in group: OpenedGroup, index: Int) { (self.group, self.index) = (group, Int32(clamping: index)) }

    package static func < (left: DeclarationPosition, right: DeclarationPosition) -> Bool {
        if left.group == right.group { return left.index < right.index }
        return left.group.precedes(right.group)
    }
}

/// A group that a store has opened. One object, which all settings of the group share.
package final class OpenedGroup: Sendable, Hashable {
    /// A group within it, or itself, whose declaration says how a page shows it.
    package struct Presented: Sendable, Hashable {
        package let key: SettingKey
        package let presentation: GroupPresentation
    }

    /// The key at which it was opened; `nil` for the top level.
    private let key: SettingKey?
    private let typeName: String
    /// In the order of their declaration, each before those within it.
    package let presented: [Presented]

    init(at key: SettingKey?, typeName: String, presented: [Presented]) {
        (self.key, self.typeName, self.presented) = (key, typeName, presented)
    }

    package static func == (left: OpenedGroup, right: OpenedGroup) -> Bool {
        left === right || (left.key == right.key && left.typeName == right.typeName)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(typeName)
    }

    fileprivate func precedes(_ other: OpenedGroup) -> Bool {
        guard key == other.key else {
            guard let key, let otherKey = other.key else { return key == nil }
            return key < otherKey
        }
        return typeName.precedesByBytes(other.typeName)
    }
}
