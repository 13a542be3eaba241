import SettleTestSupport
import Testing

@Suite struct GrowthTests {
    @Test("Work that grows with the square is not proportional, and work that does not is")
    func square() {
        func sum(_ rows: Int, _ columns: Int) {
            var sum = 0
            for row in 0..<rows { for column in 0..<columns { sum &+= row ^ column } }
            #expect(sum >= 0)
        }
        // Long enough to count on a fast processor.
        #expect(!isProportional(1_500) { sum($0, $0) })
        #expect(isProportional(1_500) { sum($0, 3_000) })
    }
}
