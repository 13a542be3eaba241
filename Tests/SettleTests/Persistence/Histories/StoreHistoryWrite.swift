import Settle

/// The settings of the histories. Every value is written once, so that it identifies its write.
struct StoreHistorySettings: SettingsGroup {
    struct Inner: SettingsGroup {
        struct Innermost: SettingsGroup {
            @Setting var z = 0
        }

        @Setting var x = 0
        let h = Innermost()
    }

    @Setting var a = 0
    @Setting var b = 0
    /// Counts commits.
    @Setting var n = 0
    @Setting var table: [String: Int] = [:]
    let g = Inner()

    func setting(at key: String) -> SettingReference<Int>? {
        switch key {
        case "a": $a
        case "b": $b
        case "n": $n
        case "g.x": g.$x
        case "g.h.z": g.h.$z
        default: nil
        }
    }
}

enum StoreHistoryKeys {
    static let single = ["a", "b", "n", "g.x", "g.h.z"]
    static let table = ["table.p", "table.q"]
    static let all = single + table
    static let dictionaries = ["g": ["g.x", "g.h.z"], "table": table]
}

/// One write of a store.
enum StoreHistoryWrite: Sendable {
    case set(String, Int)
    /// A whole dictionary, with some of its keys.
    case replace(String, [String: Int])
    /// A key, or a dictionary.
    case remove(String)
    case reset
}

extension StoreHistoryWrite {
    /// Writes in the transaction in progress.
    ///
    /// - Parameters:
    ///   - settings: Without them, the keys are written at run time.
    ///   - values: The values that the store has; updated with the new ones.
    /// - Returns: The keys that were written together.
    func perform(
        in store: SettingsStore, _ settings: StoreHistorySettings?, _ values: inout [String: Int]
    ) throws -> [[String]] {
        switch self {
        case .set(let key, let value):
            values[key] = value
            guard let settings else {
                try store.keys.setValue(value, forKey: key)
                return [[key]]
            }
            if let setting = settings.setting(at: key) {
                try setting.set(value)
                return [[key]]
            }
            settings.table[String(key.dropFirst("table.".count))] = value
            return [StoreHistoryKeys.table]
        case .replace(let dictionary, let new):
            let keys = StoreHistoryKeys.dictionaries[dictionary] ?? []
            for key in keys { values[key] = new[key] }
            var tree = SettingTree()
            for (key, value) in new { tree[key] = .integer(Int64(value)) }
            guard let settings else {
                try store.keys.setValue(tree[dictionary] ?? .dictionary([:]), forKey: dictionary)
                return [keys]
            }
            if dictionary == "table" {
                settings.table = Dictionary(uniqueKeysWithValues: new.map { (String($0.key.dropFirst(6)), $0.value) })
                return [keys]
            }
            for key in keys {
                if let value = new[key] {
                    try settings.setting(at: key)?.set(value)
                } else {
                    try settings.setting(at: key)?.reset()
                }
            }
            return keys.map { [$0] }
        case .remove(let key):
            let keys = StoreHistoryKeys.dictionaries[key] ?? [key]
            guard keys.contains(where: { values[$0] != nil }) else { return [] }
            for key in keys { values[key] = nil }
            guard let settings else {
                try store.keys.removeValue(forKey: key)
                return [keys]
            }
            if key == "table" {
                settings.table = [:]
                return [keys]
            }
            if StoreHistoryKeys.table.contains(key) {
                settings.table[String(key.dropFirst(6))] = nil
                return [StoreHistoryKeys.table]
            }
            for key in keys { try settings.setting(at: key)?.reset() }
            return keys.map { [$0] }
        case .reset:
            guard settings != nil else { return [] }
            values = [:]
            try store.reset()
            return StoreHistoryKeys.single.map { [$0] } + [StoreHistoryKeys.table]
        }
    }
}

extension [StoreHistoryWrite] {
    /// Performs all writes in one transaction, recorded in the ledger before they are published.
    func perform(
        in store: SettingsStore, _ settings: StoreHistorySettings?, by number: Int, _ ledger: StoreHistoryLedger
    ) throws {
        try store.update {
            let before = StoreHistory.values(of: store, settings)
            var after = before
            var written: [[String]] = []
            for write in self { written += try write.perform(in: store, settings, &after) }
            var changed: [String: Int?] = [:]
            var unchanged: [String: Int?] = [:]
            for keys in written {
                let isChanged = keys.contains { before[$0] != after[$0] }
                for key in keys {
                    if isChanged {
                        changed.updateValue(after[key], forKey: key)
                    } else {
                        unchanged.updateValue(after[key], forKey: key)
                    }
                }
            }
            ledger.record(changed, by: number)
            ledger.record(unchanged, by: number, isCertain: false)
        }
    }
}
