import PasscodeLock
import Settle
import SettleTesting
import Testing

/// Locks that another version of this program has written.
@Suite(.timeLimit(.minutes(10))) struct OtherVersionTests {
    private func isOtherVersion(_ status: LockStatus, _ words: String) -> Bool {
        guard case .unavailable(.otherVersion(let sentence)) = status else { return false }
        return sentence.contains(words)
    }

    /// Expects a new process to refuse a lock by its version, and to leave it as it is.
    private func expectRefused(_ trees: (SettingTree, SettingTree), _ words: String) async throws {
        let fixture = try await LockFixture(loading: trees)
        let status = await fixture.lock.status()
        #expect(isOtherVersion(status, words), "\(status)")
        #expect(await fixture.lock.unlock(with: try LockFixture.right) == .refused(status))
        #expect(try await fixture.lock.enrol(LockFixture.wrong) == .refused(status))
        #expect(fixture.verifier.count == 0)
        #expect(await !fixture.lock.auditRecords.contains { $0.event == .tampering })
        #expect(fixture.trees.0 == trees.0)
        #expect(fixture.trees.1 == trees.1)
    }

    private func enrolled() async throws -> (SettingTree, SettingTree) {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        return fixture.trees
    }

    @Test("A lock of a later version is refused by its version, and stays as it is", arguments: [0, 1, 2])
    func later(_ copies: Int) async throws {
        var trees = try await enrolled()
        func change(_ tree: inout SettingTree) {
            tree["passcode.version"] = .integer(2)
            tree["passcode.checksum"] = .string("of another form")
        }
        change(&trees.0)
        change(&trees.1)
        // A copy that is damaged or missing makes no difference.
        if copies == 1 { trees.1["passcode.checksum"] = nil }
        if copies == 2 { trees.1 = SettingTree() }
        try await expectRefused(trees, "version 2")
    }

    @Test("A lock without names is refused as one of an early form, and so is one without checksums")
    func earlier() async throws {
        var trees = try await enrolled()
        for name in ["lock", "id", "parent", "place", "auditChecksum"] {
            let key = try #require(SettingKey("passcode.\(name)"))
            trees.0[key] = nil
            trees.1[key] = nil
        }
        try await expectRefused(trees, "without names")
        for name in ["version", "generation", "checksum", "audit"] {
            trees.0[try #require(SettingKey("passcode.\(name)"))] = nil
        }
        // It had one copy.
        try await expectRefused((trees.0, SettingTree()), "without checksums")
    }

    @Test(
        "R18: One copy of another version is enough: a good one beside it brings no earlier count back",
        arguments: [0, 1])
    func besideGood(_ copy: Int) async throws {
        var trees = try await enrolled()
        func takeOn(_ tree: inout SettingTree) {
            tree["passcode.version"] = .integer(2)
            tree["passcode.id"] = .string("later")
            tree["passcode.checksum"] = .string("of another form")
            tree["passcode.attemptCount"] = .integer(20)
        }
        if copy == 0 { takeOn(&trees.0) } else { takeOn(&trees.1) }
        try await expectRefused(trees, "version 2")
    }

    @Test("R18: A running program does not write over one copy of a later version, either")
    func besideGoodWhileItRuns() async throws {
        let fixture = try await LockFixture.enrolled()
        var tree = fixture.trees.1
        tree["passcode.version"] = .integer(2)
        tree["passcode.id"] = .string("later")
        fixture.second.memory.simulateExternalChange(tree)
        let result = await fixture.lock.unlock(with: try LockFixture.right)
        guard case .refused(let status) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(isOtherVersion(status, "version 2"), "\(status)")
        #expect(fixture.trees.1 == tree)
    }

    @Test("R18: A version that was edited under the name of the good copy's record is damage, and is repaired")
    func edited() async throws {
        var trees = try await enrolled()
        trees.0["passcode.version"] = .integer(2)
        trees.0["passcode.checksum"] = .string("of another form")
        let fixture = try await LockFixture(loading: trees)
        #expect(await fixture.lock.attemptCount == 5)
        #expect(await fixture.lock.auditRecords.contains { $0.event == .tampering })
        #expect(fixture.storedCounts == [.integer(5), .integer(5)])
    }

    @Test("A running program does not write over a lock that a later version has taken on, and records no tampering")
    func whileItRuns() async throws {
        try await AttackScene.run { scene in
            try await scene.use { process in
                let later = try await scene.folder.openStores()
                try await later[0].withLock(named: "passcode") {
                    try await later[1].withLock(named: "passcode") {
                        for store in later { try await takeOn(store) }
                    }
                }
                let status = try await process.freshStatus()
                #expect(isOtherVersion(status, "version 2"), "\(status)")
                #expect(await process.lock.unlock(with: try LockFixture.right) == .refused(status))
                #expect(await !process.lock.auditRecords.contains { $0.event == .tampering })
                for store in later {
                    #expect(try store.keys.value(forKey: "passcode.version", as: Int.self) == 2)
                    try await store.close()
                }
            }
            let stores = try await scene.folder.openStores()
            for store in stores {
                #expect(try store.keys.value(forKey: "passcode.id", as: String.self) == "later")
                try await store.close()
            }
        }
    }

    /// Writes a copy as a later version may: with a record of another name and form.
    private func takeOn(_ store: SettingsStore) async throws {
        try store.keys.setValue(2, forKey: "passcode.version")
        try store.keys.setValue("later", forKey: "passcode.id")
        try store.keys.setValue("of another form", forKey: "passcode.checksum")
        try await store.flush()
    }
}
