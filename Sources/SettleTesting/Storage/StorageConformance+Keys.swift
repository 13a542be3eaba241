import Settle

/// Names, and keys within others.
extension StorageConformance {
    var keyChecks: [Check] {
        [
            Check(promise: "A storage whose last key is removed is not absent", run: staysPresent),
            Check(promise: "Any name that is not refused can be a key, and no two are the same", run: keepsNames),
            Check(promise: "A key replaces what is within it, and what it is within", run: replacesWithin),
        ]
    }

    private func staysPresent(_ number: Int) async throws {
        try await check(number, [["a": .integer(1)], ["a": nil]], resultIn: [:])
    }

    private static let names = [
        "a", "A", "", ".", "..", "/", "a/b", "a.b", "%", "%61", "\\", "\"", " ", "\n", "\0", "\u{E9}", "e\u{301}",
        "\u{1F600}", "con", "~", "*", String(repeating: "a", count: 300),
    ]

    private func keepsNames(_ number: Int) async throws {
        let storage = try await opened(number)
        var expected: [SettingKey: SettingValue?] = [:]
        for (index, name) in Self.names.enumerated() {
            let value = SettingValue.integer(Int64(index))
            for key in [SettingKey.path(name), .path("group", name)] {
                if (try? storage.check(value, at: key)) != nil { expected[key] = value }
            }
        }
        try await append(expected, to: storage)
        try await expectNames(expected, in: storage)
        await storage.close()
        let again = try await reopened(number, storage)
        try await expectNames(expected, in: again)
        await again.close()
    }

    private func expectNames(_ expected: [SettingKey: SettingValue?], in storage: Opened) async throws {
        let tree = try await storage.load().tree
        let others = expected.filter { tree[$0.key] != $0.value }.keys.sorted().map(\.description)
        guard others.isEmpty else { throw Mismatch("something else was stored at \(others)") }
    }

    private func replacesWithin(_ number: Int) async throws {
        let batches: [[SettingKey: SettingValue?]] = [
            ["a.x": .integer(1), "b": .integer(1), "c.x": .integer(1), "d.x.y": .integer(1), "e.x": .integer(1)],
            ["a": .integer(2), "b.x": .integer(2), "c": nil, "d.x": nil, "e": .dictionary(["y": .integer(2)])],
            ["f": .dictionary(["x": .integer(1)]), "f.y": .integer(2)],
            ["g": .dictionary(["x": .integer(1)]), "h": .dictionary(["x": .integer(1)]), "h.x.y": .integer(2)],
            ["g.x.y": .integer(2)],
            // None of the replaced values comes back.
            ["b.x": nil, "g.x.y": nil, "h.x.y": nil],
        ]
        var tree = SettingTree()
        for values in batches { tree.apply(values) }
        try await check(number, batches, resultIn: tree.root)
    }
}
