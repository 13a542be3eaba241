import Testing

@testable import Settle

@Suite struct HistoryNumberTests {
    @Test("A history that begins later has a greater number, and none has another one's") func order() {
        var last = ChangeToken.beginning()
        for _ in 0..<100 {
            // Until the clock's part of the number is another one.
            let begun = wallTime(isExact: true)
            while wallTime(isExact: true) < begun + 0.000_032 {}
            let next = ChangeToken.beginning()
            #expect(next.history > last.history && next.position == 0 && next.checksum != last.checksum)
            last = next
        }
    }
}
