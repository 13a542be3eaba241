import Foundation
import Settle

/// The settings of the histories with unusable values.
struct UnusableValueSettings: SettingsGroup {
    struct Inner: SettingsGroup {
        @Setting(in: 0...20) var c = 5
    }

    @Setting(in: 0...20) var a = 3
    @Setting(in: 0...20) var b = 7
    let g = Inner()

    static let defaults = ["a": 3, "b": 7, "g.c": 5]
    static let keys = ["a", "b", "g.c"]

    func setting(at key: String) -> SettingReference<Int> {
        switch key {
        case "a": $a
        case "b": $b
        default: g.$c
        }
    }

    func add(_ value: Int, to key: String) {
        switch key {
        case "a": a += value
        case "b": b += value
        default: g.c += value
        }
    }

    func assign(_ value: Int, to key: String) {
        switch key {
        case "a": a = value
        case "b": b = value
        default: g.c = value
        }
    }
}

/// The ways to write a value, or to remove it.
enum UnusableValueWrite: CaseIterable, Sendable {
    case assignment, inPlace, set, update, twice, commit, byKey, draft, draftCommit, imported
    case reset, removal, draftReset

    static let removals: [UnusableValueWrite] = [.reset, .removal, .draftReset]

    /// In a single transaction.
    ///
    /// - Parameter values: The value of each key; a removal takes only the keys.
    func perform(_ values: [String: Int], in store: SettingsStore, _ settings: UnusableValueSettings) async throws {
        // One assignment is a transaction of its own.
        func assign(_ body: () -> Void) throws { try values.count == 1 ? body() : store.update(body) }
        switch self {
        case .assignment: try assign { for (key, value) in values { settings.assign(value, to: key) } }
        case .inPlace:
            try assign { for (key, value) in values { settings.add(value - settings.setting(at: key).value, to: key) } }
        case .set, .update:
            try store.update { for (key, value) in values { try settings.setting(at: key).set(value) } }
        case .twice:
            try store.update {
                for (key, value) in values {
                    try settings.setting(at: key).set(20 - value)
                    try settings.setting(at: key).set(value)
                }
            }
        case .commit:
            try await settings.commit { for (key, value) in values { settings.assign(value, to: key) } }
        case .byKey:
            try store.update { for (key, value) in values { try store.keys.setValue(value, forKey: key) } }
        case .draft, .draftCommit:
            let draft = settings.draft()
            if let a = values["a"] { draft.a = a }
            if let b = values["b"] { draft.b = b }
            if let c = values["g.c"] { draft.g.c = c }
            if self == .draft { try draft.apply() } else { try await draft.commit() }
        case .imported:
            var tree = SettingTree()
            for (key, value) in values { tree[SettingKey(stored: key)] = .integer(Int64(value)) }
            try store.file.import(Data(FileFormat.json.encode(tree)))
        case .reset: try store.update { for key in values.keys { try settings.setting(at: key).reset() } }
        case .removal: try store.update { for key in values.keys { try store.keys.removeValue(forKey: key) } }
        case .draftReset:
            let draft = settings.draft()
            if values["a"] != nil { try draft.$a.reset() }
            if values["b"] != nil { try draft.$b.reset() }
            if values["g.c"] != nil { try draft.g.$c.reset() }
            try draft.apply()
        }
    }
}
