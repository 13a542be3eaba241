import Settle
import Testing

@testable import LiveServing

struct EventTests {
    @Test func anIDIsReadAsItIsWritten() {
        let id = EventID(revision: 57, run: "5f3a9c01")
        #expect("\(id)" == "57-5f3a9c01")
        #expect(EventID("57-5f3a9c01") == id)
        #expect(EventID(" 57-5f3a9c01\r\n") == id)
    }

    @Test(arguments: ["", "57", "57-", "-5f", "a-b", "-1-a", "18446744073709551616-a"])
    func whatIsNoIDIsNone(text: String) {
        #expect(EventID(text) == nil)
    }

    @Test func eachLineOfDataHasAField() {
        let event = ServerSentEvent.event(name: "change", id: EventID(revision: 1, run: "a"), data: "x\ny")
        #expect(event.text == "event: change\nid: 1-a\ndata: x\ndata: y\n\n")
    }

    @Test func aClientThatHasFallenBehindGetsTheListingAndThenWhatComesAfterIt() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(), configuration: .init(historyLimit: 2))
        let settings = try await store.group(ServiceSettings.self)
        let events = ChangeEvents(store: store, run: "a")
        let start = try events.start(after: nil)
        var seen = start.revision
        for burst in 1...10 { settings.limits.burst = burst }
        var told: [String] = []
        for await change in start.changes {
            if let event = try events.event(for: change, seen: &seen) { told.append(event.text) }
            if change.revision == 10 { settings.limits.burst = 11 }
            if change.revision == 11 { break }
        }
        #expect(told.map { String($0.prefix { $0 != "-" }) } == ["event: snapshot\nid: 10", "event: change\nid: 11"])
    }

    @Test func whatIsInTheListingAlreadyIsNotToldAgain() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ServiceSettings.self)
        let events = ChangeEvents(store: store, run: "a")
        let changes = store.changes
        settings.limits.burst = 1
        var seen = try Listing(of: store).revision
        let change = try #require(await changes.first { _ in true })
        let event = try events.event(for: change, seen: &seen)
        #expect(event == nil)
    }

    @Test func eachRunHasANameOfItsOwn() {
        #expect(Set((0..<100).map { _ in EventID.newRun() }).count > 95)
        #expect(EventID.newRun().count == 8)
    }
}
