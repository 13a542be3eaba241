import Settle

extension StorageConformance {
    func othersChecks(_ makeOther: @escaping Other) -> [Check] {
        [
            Check(promise: "What another storage has appended is an external change, once") {
                try tellsOthers($0, makeOther)
            },
            Check(promise: "A storage's own batch is no external change of its own") {
                try keepsOwnToItself($0, makeOther)
            },
            Check(promise: "A later batch wins over an external change found before") {
                try laterBatchWins($0, makeOther)
            },
            Check(promise: "An external change after a batch wins") { try laterExternalWins($0, makeOther) },
            Check(promise: "Two storages that write different keys both win") { try bothWin($0, makeOther) },
            Check(promise: "While a storage is locked, another one can't append") { try locks($0, makeOther) },
            Check(promise: "While a storage has reserved a name, another one can't, and both can append") {
                try reserves($0, makeOther)
            },
            Check(promise: "A storage that closes gives up what it has reserved") {
                try givesUpAtClosing($0, makeOther)
            },
        ]
    }

    /// Two storages of the same place, both loaded.
    private func pair(_ number: Int, _ makeOther: Other) throws -> (first: any Storage, second: any Storage) {
        let first = try opened(number)
        // Store something, so that the second storage has a state to load.
        try first.append(batch(1, ["start": .integer(0)]), durability: .synced)
        let second = try makeOther(number, first)
        _ = try second.load()
        return (first, second)
    }

    private func close(_ storages: any Storage...) {
        for storage in storages { storage.close() }
    }

    /// Updates what a store knows of a storage: what it loaded, appended, or was told.
    private func merge(_ storage: any Storage, _ known: inout SettingTree) throws {
        let before = known
        for change in try storage.externalChanges(since: { before }) {
            switch change.content {
            case .values(let values): for (key, value) in values { known[key] = value }
            case .everything(let tree): known = tree
            case .unusable(let error): throw Mismatch("an external change was unusable: \(error)")
            }
        }
    }

    private func expect(_ found: SettingTree, _ expected: SettingValue.Entries, _ what: String) throws {
        guard found.root != expected else { return }
        throw Mismatch("\(what) should be \(expected), but is \(found.root)")
    }

    private func tellsOthers(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(first, second) }
        var known = SettingTree(["start": .integer(0)])
        try second.append(batch(2, ["a": .integer(1), "start": nil]), durability: .buffered)
        try merge(first, &known)
        try expect(known, ["a": .integer(1)], "what the first storage was told")
        let current = known
        let again = try first.externalChanges(since: { current })
        guard again.isEmpty else { throw Mismatch("the same change was told twice: \(again)") }
    }

    private func keepsOwnToItself(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(first, second) }
        try first.append(batch(2, ["a": .integer(1)]), durability: .synced)
        let tree = SettingTree(["start": .integer(0), "a": .integer(1)])
        let changes = try first.externalChanges(since: { tree })
        guard changes.isEmpty else { throw Mismatch("a storage was told of its own batch: \(changes)") }
    }

    private func laterBatchWins(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(first, second) }
        try second.append(batch(2, ["a": .integer(2), "b": .integer(2)]), durability: .buffered)
        try first.append(batch(2, ["a": .integer(1)]), durability: .buffered)
        var known = SettingTree(["start": .integer(0), "a": .integer(1)])
        try merge(first, &known)
        try expect(
            known, ["start": .integer(0), "a": .integer(1), "b": .integer(2)], "what the first storage knows")
        try expect(
            first.load(), intact(["start": .integer(0), "a": .integer(1), "b": .integer(2)]))
    }

    private func laterExternalWins(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(first, second) }
        try first.append(batch(2, ["a": .integer(1)]), durability: .buffered)
        try second.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        var known = SettingTree(["start": .integer(0), "a": .integer(1)])
        try merge(first, &known)
        try expect(known, ["start": .integer(0), "a": .integer(2)], "what the first storage knows")
    }

    private func bothWin(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        try first.append(batch(2, ["a": .integer(1)]), durability: .buffered)
        try second.append(batch(2, ["b": .integer(2)]), durability: .synced)
        try first.append(batch(3, ["c": .integer(3)]), durability: .synced)
        second.close()
        first.close()
        let again = try reopen(number, first)
        defer { again.close() }
        try expect(
            again.load(), intact(["start": .integer(0), "a": .integer(1), "b": .integer(2), "c": .integer(3)]))
    }

    private func reserves(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(first, second) }
        try expectReserved("a", by: first, true)
        try expectReserved("a", by: second, false)
        try expectReserved("b", by: second, true)
        try expectReserved("b", by: first, false)
        try first.append(batch(2, ["a": .integer(1)]), durability: .synced)
        try second.append(batch(2, ["b": .integer(1)]), durability: .synced)
        try first.lock()
        first.unlock()
        first.giveUp("a")
        try expectReserved("b", by: first, false)
        try expectReserved("a", by: second, true)
        try expectReserved("a", by: first, false)
    }

    private func givesUpAtClosing(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(second) }
        try expectReserved("a", by: first, true)
        first.close()
        try expectReserved("a", by: second, true)
    }

    private func expectReserved(_ name: String, by storage: any Storage, _ expected: Bool) throws {
        guard try storage.tryReserve(name) != expected else { return }
        throw Mismatch("“\(name)” could \(expected ? "not " : "")be reserved")
    }

    private func locks(_ number: Int, _ makeOther: Other) throws {
        let (first, second) = try pair(number, makeOther)
        defer { close(first, second) }
        try first.lock()
        do {
            try second.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        } catch {
            first.unlock()
            try second.append(batch(2, ["a": .integer(2)]), durability: .buffered)
            return
        }
        first.unlock()
        throw Mismatch("the other storage could append")
    }
}
