import Observation
import Settle
import SettleTesting
import Testing

private struct Inner: SettingsGroup {
    @Setting var count = 1
    @Setting var list = [1]
}

private struct Outer: SettingsGroup {
    @Setting var title = "a"
    let inner = Inner()
    var isLong: Bool { title.count > 3 }
    var pair: (String, Int) { (title, inner.count) }
}

@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
    private func groups() async throws -> [Outer] {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return [try await store.group(Outer.self, at: "outer"), Outer()]
    }

    @Test("A snapshot stays as it was, with its groups, references and computed properties")
    func snapshotStaysGroups() async throws {
        for settings in try await groups() {
            let snapshot = settings.snapshot()
            let inner: Snapshot<Inner> = snapshot.inner
            let count: ReadOnlySetting<Int> = snapshot.inner.$count
            settings.title = "longer"
            settings.inner.count = 2
            settings.inner.list.append(2)
            #expect(snapshot.title == "a" && !snapshot.isLong && inner.count == 1 && inner.list == [1])
            #expect(snapshot[\.pair] == ("a", 1))
            #expect(count.value == 1 && inner.revision == snapshot.revision && snapshot.inner.count == 1)
            #expect(settings.snapshot().isLong && settings.snapshot().inner.list == [1, 2])
        }
    }

    @Test("What is written to a group of a snapshot goes to the settings") func writtenGroupSnapshot() async throws {
        for settings in try await groups() {
            let inner = settings.snapshot()[\.inner]
            inner.count = 5
            #expect(inner.count == 1 && settings.inner.count == 5)
        }
    }

    @Test("`snapshots` gives whole snapshots") func snapshotsGivesWhole() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Outer.self)
        var snapshots = settings.snapshots.makeAsyncIterator()
        var snapshot = await snapshots.next()
        #expect(snapshot?.title == "a" && snapshot?.revision == 0)
        try settings.update {
            settings.title = "b"
            settings.inner.count = 7
        }
        snapshot = await snapshots.next()
        #expect(snapshot?.title == "b" && snapshot?.inner.count == 7 && snapshot?.revision == 1)
        try await store.close()
        for await snapshot in settings.snapshots {
            #expect(snapshot.title == "b")
        }
    }
}
