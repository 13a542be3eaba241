public import Settle

/// The declarations of a store, for programs that don't know the declaring one: a settings page, an editor, a tool.
///
/// ```swift
/// let schema = store.file.schema()
/// for setting in schema.settings { print(setting.key, setting.type, setting.title ?? "") }
/// let data = try schema.jsonSchema.json()
/// ```
///
/// It contains no stored values. Two schemas of the same declarations are equal, whatever the order in which the groups
/// were opened and whatever names with dots a file has.
public struct SettingsSchema: Sendable, Hashable, Codable {
    /// The settings, sorted by key.
    public let settings: [Entry]
    /// The groups whose declarations say how a settings page shows them, sorted by key.
    public let groups: [Group]

    init(_ settings: [SettingInfo]) {
        // By the declared keys: a file may have a setting under a name with dots, but a schema is not of one file.
        let sorted = settings.sorted { $0.declaredKey < $1.declaredKey }
        let inOrder = sorted.indices.sorted { left, right in
            guard let left = sorted[left].position, let right = sorted[right].position else { return left < right }
            return left < right
        }
        var orders = Array(repeating: 0, count: sorted.count)
        for (order, index) in inOrder.enumerated() { orders[index] = order }
        self.settings = zip(sorted, orders).map { Entry($0, order: $1) }
        groups = Group.all(around: inOrder.lazy.compactMap { sorted[$0].position?.group })
    }

    /// One setting, as declared.
    public struct Entry: Sendable, Hashable, Codable {
        /// The full key as declared, such as `passcode.attemptCount`.
        public let key: String
        /// The declared type as written in Swift, such as `Int` or `Date?`.
        public let type: String
        /// The shape of the type's values in storage.
        public let shape: ValueShape
        /// The value while none is stored; `nil` for a secret, and for a value that can't be encoded.
        public let defaultValue: SettingValue?
        /// The setting's rules. For an enumeration that lists its cases, the first rule is the list.
        public let rules: [RuleDescription]
        /// The setting's title, if the declaration gives one.
        public let title: String?
        /// The setting's help text, if the declaration gives one.
        public let help: String?
        /// The unit of a number, if the declaration gives one.
        public let unit: String?
        /// Whether the type is a `SecretValue`.
        public let isSecret: Bool
        /// The code that may write the setting.
        public let access: SettingsAccess
        /// Whether the setting is for users, or only state that the program remembers.
        public let category: SettingsCategory
        /// The number of settings that are declared before it.
        ///
        /// Groups that were opened separately are sorted by their key, and those at one key by the names of their
        /// types.
        public let order: Int

        init(_ info: SettingInfo, order: Int) {
            (key, type, shape) = (info.declaredKey, info.type, info.shape)
            (defaultValue, rules) = (info.defaultValue, info.rules)
            (title, help, unit) = (info.title, info.help, info.unit)
            (isSecret, access, category) = (info.isSecret, info.access, info.category)
            self.order = order
        }
    }

    /// A nested group, as declared.
    public struct Group: Sendable, Hashable, Codable {
        /// The full key, such as `passcode`.
        public let key: String
        /// The way in which a settings page shows it.
        public let presentation: GroupPresentation

        /// Returns the groups of opened groups, sorted by key. Of several at one key, the first one counts.
        fileprivate static func all(around opened: some Sequence<OpenedGroup>) -> [Group] {
            var seen: Set<OpenedGroup> = []
            var found: [SettingKey: GroupPresentation] = [:]
            for group in opened where seen.insert(group).inserted {
                for inner in group.presented where found[inner.key] == nil { found[inner.key] = inner.presentation }
            }
            return found.sorted { $0.key < $1.key }.map { Group(key: $0.key.description, presentation: $0.value) }
        }
    }
}
