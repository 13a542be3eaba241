import Testing

@testable import Settle

extension SearchListHistory {
    /// Opens a draft, writes in it while the original changes, and applies or reverts it.
    func draft() throws {
        let draft = group.draft()
        let settings = HistorySetting.all(draft.settings, HistoryOwnedGroup(), nil)
        let keys = HistoryKey.allCases.filter { $0 != .attempts && settings[$0] != nil && !model.isLocked($0) }
        var (touched, bases): ([HistoryKey: SettingValue], [HistoryKey: [SettingValue]]) = ([:], [:])
        // A draft shows and replaces what is not above the application's domain.
        func now(_ key: HistoryKey) -> [SettingValue] { [model.ownAndBelow(key), answer(key).value] }
        notes.append("a draft is opened")
        func touch() throws {
            guard let key = keys.randomElement(using: &random) else { return }
            let value = key.good(&random)
            guard !isOpen(value, key) else { return }
            notes.append("the draft's \(key) becomes \(value)")
            settings[key]?.assign(value)
            // What is in force already is an edit if it replaces something that can't be used.
            guard value != touched[key] ?? now(key)[0] || (touched[key] == nil && hasUnusable(key)) else { return }
            if touched[key] == nil { bases[key] = now(key) }
            touched[key] = value
        }
        for _ in 0..<3 { try touch() }
        try write()
        try touch()
        for key in keys {
            let value = touched[key] ?? now(key)[0]
            let found = try #require(settings[key]).value()
            try #require(found == value, "the draft's \(key): \(found), not \(value) \(notes)")
        }
        let conflicts = touched.keys.filter { key in
            let changed = zip(bases[key] ?? [], now(key)).first { $0 != $1 }
            return changed.map { $1 != touched[key] } ?? false
        }
        try #require(Set(draft.conflicts.map(\.key)) == Set(conflicts.map(\.rawValue)), "\(conflicts) \(notes)")
        let ending = Int.random(in: 0..<3, using: &random)
        notes.append(["the draft is reverted", "it is applied", "it is applied, overwriting"][ending])
        if ending == 0 {
            draft.revert()
        } else {
            let error = thrown { try draft.apply(ending == 2 ? .overwriting : .throwing) }
            let succeeds = ending == 2 || conflicts.isEmpty
            try #require((error == nil) == succeeds, "\(String(describing: error)) \(notes)")
            if succeeds { for (key, value) in touched { keep(value, key) } }
        }
        try check(.application, .local)
    }
}
