import Settle
import SettleInterchange

/// A write over the stored values: its changes, and the reasons to refuse it. Pure.
struct WritePlan {
    /// The rules to check it against.
    enum Rules {
        case none
        /// Those that hold without a schema: a value does not replace others within its key.
        case shapes
        case schema(StoredSchema)
    }

    let changes: ValueChanges
    /// Sentences that name the key and the rule.
    let problems: [String]

    init(from old: SettingTree, to new: SettingTree, _ rules: Rules) {
        changes = ValueChanges(from: old, to: new)
        switch rules {
        case .none: problems = []
        case .shapes: problems = changes.list.compactMap(Self.problemWithShape)
        case .schema(let schema):
            let values = Dictionary(changes.list.map { ($0.key, $0.new) }) { first, _ in first }
            problems = schema.problems(with: values, over: old)
        }
    }

    private static func problemWithShape(_ change: ValueChanges.Change) -> String? {
        guard case .dictionary(let entries)? = change.old, !entries.isEmpty, let new = change.new else { return nil }
        let names = entries.keys.sorted().prefix(3).map { "\(change.key.appending(component: $0))" }
        let rest = entries.count > names.count ? ", …" : ""
        return "“\(change.key)” has values within it, and \(new.line) would replace them: "
            + "\(names.joined(separator: ", "))\(rest)."
    }
}

/// One argument KEY=VALUE, or KEY= for a removal.
struct Assignment: Equatable {
    let key: SettingKey
    let value: SettingValue?

    /// - Returns: `nil` if it is none.
    init?(_ argument: String) {
        guard let end = argument.firstIndex(of: "="), let key = SettingKey(String(argument[..<end])) else { return nil }
        let text = String(argument[argument.index(after: end)...])
        self.init(key: key, value: text.isEmpty ? nil : SettingValue(argument: text))
    }

    init(key: SettingKey, value: SettingValue?) { (self.key, self.value) = (key, value) }
}
