import Testing

@testable import LiveServing

@Suite struct TokenBucketTests {
    @Test("A burst is taken at once and no more") func wholeBurst() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 10, burst: 3))
        let waits = (0..<5).map { _ in bucket.take(at: .seconds(1)) }
        #expect(waits == [nil, nil, nil, .milliseconds(100), .milliseconds(100)])
    }

    @Test("Tokens come back at the rate and not beyond the burst") func refill() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 10, burst: 2))
        _ = bucket.take(at: .zero)
        _ = bucket.take(at: .zero)
        #expect(bucket.take(at: .milliseconds(99)) != nil)
        #expect(bucket.take(at: .milliseconds(100)) == nil)
        #expect(bucket.take(at: .seconds(60)) == nil)
        #expect(bucket.take(at: .seconds(60)) == nil)
        #expect(bucket.take(at: .seconds(60)) != nil)
    }

    @Test("The wait is exactly until the next token") func exactWait() throws {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 3, burst: 1))
        _ = bucket.take(at: .zero)
        let taken = bucket.take(at: .milliseconds(50))
        let wait = try #require(taken)
        #expect(bucket.take(at: .milliseconds(50) + wait - .milliseconds(1)) != nil)
        #expect(bucket.take(at: .milliseconds(50) + wait) == nil)
    }

    @Test("A higher burst gives its tokens at once and the used ones stay used") func raisedBurst() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 1, burst: 2))
        _ = bucket.take(at: .zero)
        _ = bucket.take(at: .zero)
        bucket.rebuild(for: RateLimit(perSecond: 1, burst: 4), at: .zero)
        let granted = (0..<4).filter { _ in bucket.take(at: .zero) == nil }
        #expect(granted.count == 2)
    }

    @Test("A lower burst leaves nobody owing more than a whole bucket") func loweredBurst() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 1, burst: 100))
        for _ in 0..<100 { _ = bucket.take(at: .zero) }
        bucket.rebuild(for: RateLimit(perSecond: 1, burst: 1), at: .zero)
        #expect(bucket.take(at: .zero) == .seconds(1))
        #expect(bucket.take(at: .seconds(1)) == nil)
    }

    @Test("Time before a change counts at the old rate") func changedRate() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 1, burst: 10))
        for _ in 0..<10 { _ = bucket.take(at: .zero) }
        bucket.rebuild(for: RateLimit(perSecond: 1_000, burst: 10), at: .seconds(2))
        let granted = (0..<10).filter { _ in bucket.take(at: .seconds(2)) == nil }
        #expect(granted.count == 2)
    }

    @Test("Changing back and forth gives no tokens") func changedBackAndForth() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 1, burst: 5))
        for _ in 0..<5 { _ = bucket.take(at: .zero) }
        for burst in [50, 5, 50, 5] { bucket.rebuild(for: RateLimit(perSecond: 1, burst: burst), at: .zero) }
        #expect(bucket.take(at: .zero) != nil)
    }

    @Test("A caller with an older time does not turn time back") func olderTime() {
        var bucket = TokenBucket(limit: RateLimit(perSecond: 1, burst: 1))
        _ = bucket.take(at: .seconds(10))
        #expect(bucket.take(at: .seconds(5)) == .seconds(1))
        #expect(bucket.take(at: .seconds(10)) == .seconds(1))
    }
}
