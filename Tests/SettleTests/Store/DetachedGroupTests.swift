import Settle
import SettleTesting
import Testing

private struct MiddleSettings: SettingsGroup {
    let first = CounterSettings()
    let second = BalanceSettings()
}

private struct TopSettings: SettingsGroup {
    @Setting var title = ""
    let middle = MiddleSettings()
}

private struct EmptySettings: SettingsGroup {}

@Suite(.timeLimit(.minutes(10))) struct DetachedGroupTests {
    @Test("A group that no store has opened works in memory, and each instance has its own values")
    func inMemory() async throws {
        let first = OuterSettings()
        let copy = first
        let second = OuterSettings()
        first.inner.count += 1
        copy.inner.list.append(1)
        #expect(copy.inner.count == 1 && first.inner.list == [1] && second.inner.count == 0)
        try first.update { first.title = "x" }
        #expect(copy.title == "x" && copy.snapshot().title == "x")
        try first.reset()
        #expect(first.title == "title" && first.inner.count == 0)
    }

    @Test("Subscribers from before and after a group's first use as a whole see every change in order")
    func streamsAcrossUniting() async throws {
        let settings = OuterSettings()
        let values = ChangeRecorder(settings.inner.$count)
        let single = ChangeRecorder(settings.inner.$count.changes)
        settings.inner.count = 1
        #expect(await single.next()?[settings.inner.$count]?.newValue == 1)
        let inner = ChangeRecorder(settings.inner.changes)
        settings.inner.count = 2
        let all = ChangeRecorder(settings.changes)
        settings.inner.count = 3
        try settings.update {
            settings.title = "x"
            settings.inner.count = 4
        }
        #expect(await values.until { $0.last == 4 }.last == 4)
        let seen = await single.until { $0.count == 4 }
        #expect(seen.compactMap { $0.mutations.first?.newValue as? Int } == [1, 2, 3, 4])
        #expect(await inner.until { $0.count == 3 }.allSatisfy { $0.missed.count == 0 && $0.mutations.count == 1 })
        #expect(await all.until { $0.count == 2 }.map(\.mutations.count) == [1, 2])
    }

    @Test("Subscribers to a group without settings of its own follow it into its outer group")
    func streamOfGroups() async throws {
        let settings = TopSettings()
        let middle = ChangeRecorder(settings.middle.changes)
        settings.middle.first.count = 1
        #expect(await middle.next() != nil)
        try settings.update { settings.title = "x" }
        settings.middle.second.left = 3
        let change = await middle.next()
        #expect(change?[settings.middle.second.$left]?.newValue == 3)
    }

    @Test("A group can first be used as a whole inside a write of one of its settings")
    func uniteInsideWrite() async throws {
        let settings = OuterSettings()
        settings.inner.list = [1]
        settings.inner.list.withEach {
            try? settings.update {
                settings.title = "x"
                settings.inner.count = 5
            }
        }
        #expect(settings.inner.list == [1] && settings.title == "x" && settings.inner.count == 5)
        await onThread { settings.title += "y" }
        #expect(settings.title == "xy")
    }

    @Test("A commit of an unopened group throws before its closure runs, and names the missing call")
    func commitThrows() async throws {
        let settings = OuterSettings()
        var hasRun = false
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { hasRun = true } }
        #expect(error?.code == .notOpened && !hasRun)
        #expect("\(String(describing: error))".contains("let settings = try await store.group(OuterSettings.self)"))
    }

    @Test("An update that throws is rolled back, however many threads use the group for the first time")
    func firstUses() async throws {
        for _ in 0..<2_000 {
            let settings = OuterSettings()
            async let undone: Void = onThread {
                try? settings.update {
                    settings.title = "undone"
                    settings.inner.count += 100
                    throw TestFailure()
                }
            }
            async let single: Void = onThread { settings.inner.count += 1 }
            async let other: Void = onThread { try? settings.inner.update { settings.inner.count += 1 } }
            _ = await (undone, single, other)
            try #require(settings.inner.count == 2 && settings.title == "title")
        }
    }

    @Test("A group without settings runs its closures and changes nothing")
    func empty() async throws {
        let settings = EmptySettings()
        #expect(try settings.update { 5 } == 5)
        #expect(try await settings.commit { 6 } == 6)
        #expect(settings.snapshot().revision == 0)
        #expect(throws: TestFailure()) { try settings.update { throw TestFailure() } }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        _ = try await store.group(EmptySettings.self)
    }

    @Test("Groups work inside actors and main-actor classes")
    func insideActors() async throws {
        actor Keeper {
            let settings = CounterSettings()
            func add() -> Int {
                settings.count += 1
                return settings.count
            }
        }
        @MainActor final class Model {
            let settings = CounterSettings()
            func add() -> Int {
                settings.count += 1
                return settings.count
            }
        }
        let keeper = Keeper()
        #expect(await keeper.add() == 1)
        #expect(await Model().add() == 1)
        keeper.settings.count = 5
        #expect(await keeper.add() == 6)
    }
}
