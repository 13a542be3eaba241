import Settle
import SettleTesting
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10)))
struct EventTests {
    @Test("Each line of data has a field") func eachLineOfDataHasAField() {
        let event = ServerSentEvent.event(name: "change", id: "57", data: "x\ny")
        #expect(event.text == "event: change\nid: 57\ndata: x\ndata: y\n\n")
    }

    @Test("An event without a place has no ID") func anEventWithoutAPlaceHasNoID() {
        let event = ServerSentEvent.event(name: "covered", id: nil, data: "x")
        #expect(event.text == "event: covered\ndata: x\n\n")
    }

    @Test("A stream begins where its client left off") func aStreamBeginsWhereItsClientLeftOff() {
        let token = ChangeToken(history: 1, position: 2, checksum: 3)
        #expect(StreamStart(lastEventID: "\(token)") == .after(token))
        #expect(StreamStart(lastEventID: nil) == .anew)
        #expect(StreamStart(lastEventID: "") == .anew)
        for id in ["0", "7070670463000003", "nonsense", "\(token) ", "\(token)-"] {
            #expect(StreamStart(lastEventID: id) == .lost)
        }
    }

    @Test("A snapshot has what is stored and else the defaults and no secret")
    func aSnapshotHasWhatIsStoredAndElseTheDefaultsAndNoSecret() async throws {
        let stored: SettingTree = SettingTree([
            "limits": .dictionary(["burst": .integer(7)]),
            "admin": .dictionary(["token": .string("a-token-of-16-chars")]),
        ])
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(stored), searching: .service(variables: ["LIVE_LIMITS_BURST": "70"]))
        let settings = try await store.group(ServiceSettings.self)
        let change = try #require(await store.history.changes(after: nil).first { _ in true })
        for isLoss in [true, false] {
            let event = ChangeEvents(store: store).snapshot(change, isLoss: isLoss)
            let received = TestEvent(text: event.text)
            let values = try #require(try received.data()["values"])
            #expect(try received.data()["missed"] == .bool(isLoss))
            #expect(received.id == store.history.token?.description)
            #expect(values.member(.string("limits.burst")) == .integer(7))
            #expect(values.member(.string("limits.perSecond")) == .integer(1_000))
            #expect(values.member(.string("admin.token")) == nil && values.member(.string("admin.tokens")) == nil)
            #expect(values.names.count == store.settings.count - 2)
        }
        withExtendedLifetime(settings) {}
    }
}
