import Settle
import Testing

@testable import LiveServing

struct EventTests {
    @Test func eachLineOfDataHasAField() {
        let event = ServerSentEvent.event(name: "change", id: 57, data: "x\ny")
        #expect(event.text == "event: change\nid: 57\ndata: x\ndata: y\n\n")
    }

    @Test func aClientThatHasFallenBehindGetsTheListingAndThenWhatComesAfterIt() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(), configuration: .init(logLimit: 2))
        let settings = try await store.group(ServiceSettings.self)
        let events = ChangeEvents(store: store)
        let start = try events.start(after: nil)
        var seen = start.revision
        for burst in 1...10 { settings.limits.burst = burst }
        var told: [String] = []
        for await change in start.changes {
            if let event = try events.event(for: change, seen: &seen) { told.append(event.text) }
            if change.revision == 10 { settings.limits.burst = 11 }
            if change.revision == 11 { break }
        }
        let heads = told.map { $0.split(separator: "\n").prefix(2).joined(separator: ", ") }
        #expect(heads == ["event: snapshot, id: 10", "event: change, id: 11"])
    }

    @Test func whatIsInTheListingAlreadyIsNotToldAgain() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ServiceSettings.self)
        let events = ChangeEvents(store: store)
        let changes = store.changes
        settings.limits.burst = 1
        var seen = try Listing(of: store).revision
        let change = try #require(await changes.first { _ in true })
        let event = try events.event(for: change, seen: &seen)
        #expect(event == nil)
    }

    @Test func aRevisionOfAnotherRunIsTreatedAsNone() async throws {
        var ids: [UInt64] = []
        for run in 1...3 {
            let configuration = SettingsStore.Configuration(initialRevision: LiveService.newRunRevision())
            let store = try await SettingsStore.open(storage: InMemoryStorage(), configuration: configuration)
            let settings = try await store.group(ServiceSettings.self)
            // As many as before, so that all runs have the same number of changes.
            for burst in 1...5 { settings.limits.burst = burst + run }
            let events = ChangeEvents(store: store)
            for id in ids { #expect(try events.start(after: "\(id)").snapshot != nil) }
            #expect(try events.start(after: "\(store.revision)").snapshot == nil)
            ids += (0...5).map { store.revision - $0 }
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test func revisionsOfARunAreItsOwnAndExactAlsoAsFloatingPoint() {
        let starts = (0..<100).map { _ in LiveService.newRunRevision() }
        #expect(Set(starts).count == 100)
        for start in starts {
            #expect(start % 1_000_000 == 0)
            #expect((start + 999_999) < 1 << 53)
        }
    }
}
