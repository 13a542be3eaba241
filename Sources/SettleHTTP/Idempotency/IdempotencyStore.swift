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

    /// The requests of a client.
    private struct Requests {
        var entries: [String: Entry] = [:]
        /// The keys of those that were answered, in the order of the answers. Others are never forgotten: their
        /// repetitions would be made as well.
        var answered: [String] = []
        /// The size of the answers, in bytes.
        var size = 0

        var oldestTime: Date? { answered.first.flatMap { entries[$0]?.time } }

        mutating func removeOldest() {
            size -= entries.removeValue(forKey: answered.removeFirst())?.response?.bytes.count ?? 0
        }
    }

    private let limit: Int
    private let sizeLimit: Int
    private let lifetime: TimeInterval
    private let clients = Mutex<[String: Requests]>([:])

    /// - Parameters:
    ///   - limit: How many answers are remembered. Beyond it, the client with the most loses its oldest one.
    ///   - sizeLimit: How many bytes they have together. Beyond it, the client with the most loses its oldest one.
    ///   - lifetime: How long each is remembered, in seconds.
    init(limit: Int, sizeLimit: Int = 16 << 20, lifetime: TimeInterval) {
        (self.limit, self.sizeLimit, self.lifetime) = (max(0, limit), sizeLimit, lifetime)
    }

    /// Begins to answer a request.
    ///
    /// - Parameter request: A digest of what a repeated request has as well.
    func admit(_ key: Key, _ request: String, at now: Date) -> Admission {
        clients.withLock { clients in
            for name in Array(clients.keys) {
                while let time = clients[name]?.oldestTime, now.timeIntervalSince(time) > lifetime {
                    clients[name]?.removeOldest()
                }
                if clients[name]?.entries.isEmpty == true { clients[name] = nil }
            }
            guard let entry = clients[key.client]?.entries[key.text] else {
                clients[key.client, default: Requests()].entries[key.text] = Entry(request: request, time: now)
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
        clients.withLock { clients in
            guard let response else {
                clients[key.client]?.entries[key.text] = nil
                return
            }
            clients[key.client]?.entries[key.text]?.response = response
            clients[key.client]?.answered.append(key.text)
            clients[key.client]?.size += response.bytes.count
            // The others keep theirs, however many one client sends.
            Self.shrink(&clients, to: limit) { $0.answered.count }
            Self.shrink(&clients, to: sizeLimit) { $0.size }
        }
    }

    private static func shrink(_ clients: inout [String: Requests], to limit: Int, _ weight: (Requests) -> Int) {
        var total = clients.values.reduce(0) { $0 + weight($1) }
        while total > limit, let (name, most) = clients.max(by: { weight($0.value) < weight($1.value) }) {
            clients[name]?.removeOldest()
            total += (clients[name].map(weight) ?? 0) - weight(most)
        }
    }
}
