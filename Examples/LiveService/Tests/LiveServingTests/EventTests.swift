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

    @Test func eachRunHasANameOfItsOwn() {
        #expect(Set((0..<100).map { _ in EventID.newRun() }).count > 95)
        #expect(EventID.newRun().count == 8)
    }
}
