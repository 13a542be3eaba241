import Testing

@testable import Settle

/// What happens to files.
extension SearchListHistory {
    private var disk: DiskHome {
        get throws { try #require(home as? DiskHome) }
    }

    /// Some of the values may have the names of earlier versions.
    func tree(of values: [HistoryKey: SettingValue]) -> SettingTree {
        var tree = SettingTree()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let former = Bool.random(using: &random) ? formerNames[key] : nil
            tree[former ?? key.key] = value
        }
        return tree
    }

    /// A damaged file of another domain leaves the last good values, also those of a restart.
    func damage() async throws {
        let names = model.layers.map(\.name).filter { ["high", "low", .managed].contains($0) }
        let name = try #require(names.randomElement(using: &random))
        notes.append("damage \(name)")
        try await disk.damage(name, in: store)
        try check(name)
        notes.append("mend \(name)")
        try await home.replace(name, by: tree(of: model[name]), in: store)
        try check(name)
    }

    /// Opens again without a close, maybe in the midst of a save.
    func kill() async throws {
        try await flush()
        let (before, ownBefore) = (file, model[.application])
        if Bool.random(using: &random) { try write() }
        notes.append("kill")
        let image = try disk.image()
        // Its events are compared all the same; what it does to its files by now is seen by nobody.
        try await close()
        try disk.go(on: image)
        if try home.stored() == before.tree {
            (file, model[.application]) = (before, ownBefore)
        } else {
            try checkStorage()
        }
        try await open()
    }

    /// Restarts as a newer version, which has given keys other names and types.
    func migrate() async throws {
        try await close()
        let number = notes.count
        // The last good value that is kept for one that can't be used stays behind when that gets another name.
        let keys = [HistoryKey.count, .name, .list, .level].filter { file[$0].map($0.accepts) ?? true }
        guard let key = keys.randomElement(using: &random) else { return try await open() }
        let former = SettingKey.path("version\(number)", "value")
        notes.append("\(key) was \(former)")
        let disk = try disk
        // As if the version before had known no other name.
        try disk.edit { tree in
            (tree[former], tree[key.key]) = (tree[key.key], nil)
            if keys.contains(.count), case .integer(let count)? = tree["count"] { tree["count"] = .string("\(count)") }
        }
        formerNames[key] = former
        disk.migrations? += [
            .rename(former, to: key.key),
            SettingsMigration("version \(number)") { tree in
                guard case .string(let text)? = tree["count"], let count = Int64(text) else { return }
                tree["count"] = .integer(count)
            },
        ]
        if let name = ["high", "low"].randomElement(using: &random).map({ DomainName($0) }) {
            notes.append("\(name) has names of earlier versions")
            _ = try home.source(of: name, tree(of: model[name]))
        }
        try await open()
        try checkStorage()
    }
}
