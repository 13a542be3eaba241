import Settle
import SettleTesting
import Testing

@testable import LiveServing

@Suite(.timeLimit(.minutes(10))) struct RateLimiterTests {
    @Test("A changed limit holds for the very next request") func limitOfNextRequest() {
        let settings = RateLimitSettings()
        settings.burst = 1
        let limiter = RateLimiter(clock: ManualClock()) {
            settings.snapshot { RateLimit(perSecond: $0.perSecond, burst: $0.burst) }
        }
        #expect(limiter.take() == nil)
        #expect(limiter.take() != nil)
        settings.burst = 2
        #expect(limiter.take() == nil)
        #expect(limiter.take() != nil)
    }

    @Test("Many tasks together get the burst") func manyTasks() async {
        let limiter = RateLimiter(clock: ManualClock()) { RateLimit(perSecond: 1, burst: 100) }
        let granted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<50).count { _ in limiter.take() == nil } }
            }
            return await group.reduce(0, +)
        }
        #expect(granted == 100)
    }
}
