import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Remembers the answers to writes with an `Idempotency-Key`, so that a repeated one is answered and not made again.
final class IdempotencyStore: Sendable {
    /// Who has sent which key.
    struct Key: Sendable, Hashable {
        let client: String
        let text: String
    }

    /// The way in which a request is answered.
    enum Admission: Sendable {
        /// The request is to be answered, and then ``finish(_:with:)`` called.
        case new
        /// It was answered.
        case answered(WebResponse)
        /// It is still being answered.
        case inProgress
        /// The key belongs to a request with other contents.
        case otherRequest
    }

    private struct Entry {
        /// A digest of the request.
        let request: String
        let time: Date
        var response: WebResponse?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The keys in the order of their first requests.
        var order: [Key] = []
    }

    private let limit: Int
    private let lifetime: TimeInterval
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: How many keys are remembered.
    ///   - lifetime: How long each is, in seconds.
    init(limit: Int, lifetime: TimeInterval) {
        (self.limit, self.lifetime) = (limit, lifetime)
    }

    /// Begins to answer a request.
    ///
    /// - Parameter request: A digest of what a repeated request has as well.
    func admit(_ key: Key, _ request: String, at now: Date) -> Admission {
        state.withLock { state in
            while let oldest = state.order.first, let entry = state.entries[oldest],
                now.timeIntervalSince(entry.time) > lifetime || state.order.count > limit
            {
                state.order.removeFirst()
                state.entries[oldest] = nil
            }
            guard let entry = state.entries[key] else {
                state.entries[key] = Entry(request: request, time: now)
                state.order.append(key)
                return .new
            }
            guard entry.request == request else { return .otherRequest }
            return entry.response.map { .answered($0) } ?? .inProgress
        }
    }

    /// Ends a request.
    ///
    /// - Parameter response: The answer to be given again; `nil` if a repeated request is to be answered as a new one.
    func finish(_ key: Key, with response: WebResponse?) {
        state.withLock { state in
            guard let response else {
                state.entries[key] = nil
                state.order.removeAll { $0 == key }
                return
            }
            state.entries[key]?.response = response
        }
    }
}
