import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and members of etcd, and ends connections within requests and answers, after any byte of
/// what goes over the wire: the lines of HTTP, the lengths of its chunks, and what is in them. It also holds answers
/// back, and closes idle connections, as a load balancer does.
///
/// A new connection goes to the next member that accepts one.
package final class CuttingProxy: Sendable {
    package enum Part: Sendable {
        case request, answer
    }

    private typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private struct State {
        /// Where the next requests of a path, or the answers to them, are cut.
        var plans: [String: Plan] = [:]
        /// Where something was cut.
        var cuts: Set<Int> = []
        /// What is on its way, by the numbers of the connections.
        var exchanges: [Int: Exchange] = [:]
        var lastNumber = 0
        /// Until when the answers to a path are held back.
        var held: [String: ContinuousClock.Instant] = [:]
        /// When something was carried last, by the numbers of the connections.
        var activity: [Int: ContinuousClock.Instant] = [:]
        var idleCount = 0
        var isShut = false
    }

    private struct Plan {
        var part: Part
        var place: Int
        var count: Int
    }

    /// A request and its answer.
    private struct Exchange {
        var path: String
        var channel: any Channel
        /// What is cut of it; `nil` if nothing is.
        var part: Part?
        var place = Int.max
        /// How many bytes of that have gone through.
        var count = 0

        /// - Returns: What goes through of a piece.
        mutating func take(_ bytes: ByteBuffer) -> ByteBuffer {
            let piece = bytes.getSlice(at: bytes.readerIndex, length: min(place - count, bytes.readableBytes)) ?? bytes
            count += piece.readableBytes
            return piece
        }
    }

    private struct Member {
        var host: String
        var port: Int

        init(_ url: String) throws {
            let place = url.split(separator: "/").last?.split(separator: ":") ?? []
            guard url.hasPrefix("http://"), place.count == 2, let port = Int(place[1]) else {
                throw MachineError("“\(url)” is not the unencrypted address of a member.")
            }
            (host, self.port) = (String(place[0]), port)
        }
    }

    /// The URL for clients.
    package let endpoint: String
    private let members: [Member]
    private let idleLimit: Duration?
    private let state = Mutex(State())

    private init(_ members: [String], _ own: String, _ idleLimit: Duration?) throws {
        self.members = try members.map(Member.init)
        (endpoint, self.idleLimit) = (own, idleLimit)
    }

    /// Runs a proxy until some work has ended.
    ///
    /// - Parameters:
    ///   - members: The URLs of the members.
    ///   - host: The address for clients.
    ///   - idleLimit: How long a connection stays open on which nothing goes either way; `nil` for ever.
    package static func run<Result>(
        to members: [String], on host: String = "127.0.0.1", closingAfter idleLimit: Duration? = nil,
        _ body: (CuttingProxy) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: host, port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
            }
        let own = "http://\(host):\(listener.channel.localAddress?.port ?? 0)"
        let proxy = try CuttingProxy(members, own, idleLimit)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listener.executeThenClose { clients in
                    try await withThrowingDiscardingTaskGroup { lines in
                        for try await client in clients {
                            // What fails there is what the test is about.
                            lines.addTask { try? await proxy.carry(client) }
                        }
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(proxy)
        }
    }

    // MARK: Orders

    /// The next requests of a path, or the answers to them, end after so many bytes.
    package func cut(_ path: String, _ part: Part, after place: Int, count: Int = 1) {
        state.withLock { $0.plans[path] = Plan(part: part, place: place, count: count) }
    }

    /// Lets everything through again.
    ///
    /// - Returns: After how many bytes something was cut so far.
    @discardableResult
    package func endCutting() -> Set<Int> {
        state.withLock { state in
            state.plans = [:]
            return state.cuts
        }
    }

    /// Ends the connections that carry an answer to a path now.
    package func endAnswers(to path: String) {
        for exchange in state.withLock({ $0.exchanges.values }) where exchange.path == path {
            exchange.channel.close(promise: nil)
        }
    }

    /// Holds the answers to a path back for some time, with those that have begun. Then they go through at once.
    package func hold(_ path: String, for time: Duration) {
        state.withLock { $0.held[path] = ContinuousClock.now + time }
    }

    /// Ends all connections, and each new one at once; or lets clients in again.
    package func shut(_ isShut: Bool = true) {
        let exchanges = state.withLock { state in
            state.isShut = isShut
            return state.exchanges.values.map { $0 }
        }
        guard isShut else { return }
        for exchange in exchanges { exchange.channel.close(promise: nil) }
    }

    /// How many connections were closed because they were idle.
    package var idleCount: Int { state.withLock { $0.idleCount } }

    // MARK: One connection

    private func carry(_ client: Stream) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.activity[state.lastNumber] = ContinuousClock.now
            return state.lastNumber
        }
        defer {
            state.withLock { state in
                state.exchanges[number] = nil
                state.activity[number] = nil
            }
        }
        try await client.executeThenClose { requests, toClient in
            if self.state.withLock({ $0.isShut }) { return }
            let member = try await self.connect(number)
            try await member.executeThenClose { answers, toMember in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await bytes in requests {
                            if let path = Self.path(in: bytes) { self.begin(path, number, client.channel) }
                            let (piece, isCut) = self.take(bytes, .request, number)
                            if piece.readableBytes > 0 { try await toMember.write(piece) }
                            if isCut { return }
                        }
                    }
                    group.addTask {
                        for try await bytes in answers {
                            if let end = self.holding(number) { try await Task.sleep(until: end, clock: .continuous) }
                            let (piece, isCut) = self.take(bytes, .answer, number)
                            if piece.readableBytes > 0 { try await toClient.write(piece) }
                            if isCut { return }
                        }
                    }
                    if let idleLimit = self.idleLimit {
                        group.addTask { try await self.waitUntilIdle(number, for: idleLimit) }
                    }
                    // Whichever side ends, both do.
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
    }

    /// Connects to the next member that accepts it.
    private func connect(_ number: Int) async throws -> Stream {
        var failure: any Error = MachineError("No member is known.")
        for index in members.indices {
            let member = members[(number + index) % members.count]
            do {
                return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .connectTimeout(.milliseconds(300))
                    .connect(host: member.host, port: member.port) { channel in
                        channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
                    }
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// - Returns: Until when the connection's answer is held back; `nil` if it is not.
    private func holding(_ number: Int) -> ContinuousClock.Instant? {
        state.withLock { state in state.exchanges[number].flatMap { state.held[$0.path] } }
    }

    /// Returns when nothing has gone either way for some time.
    private func waitUntilIdle(_ number: Int, for limit: Duration) async throws {
        while let last = state.withLock({ $0.activity[number] }), last + limit > ContinuousClock.now {
            try await Task.sleep(until: last + limit, clock: .continuous)
        }
        state.withLock { $0.idleCount += 1 }
    }

    /// A request begins where the answer to the one before it has ended, so it begins a piece.
    private static func path(in bytes: ByteBuffer) -> String? {
        let head = bytes.readableBytesView.prefix(64)
        guard head.starts(with: Array("POST ".utf8)) else { return nil }
        return String(decoding: head, as: UTF8.self).split(separator: " ").dropFirst().first.map(String.init)
    }

    private func begin(_ path: String, _ number: Int, _ channel: any Channel) {
        state.withLock { state in
            var exchange = Exchange(path: path, channel: channel)
            if let plan = state.plans[path], plan.count > 0 {
                state.plans[path]?.count -= 1
                (exchange.part, exchange.place) = (plan.part, plan.place)
            }
            state.exchanges[number] = exchange
        }
    }

    private func take(_ bytes: ByteBuffer, _ part: Part, _ number: Int) -> (piece: ByteBuffer, isCut: Bool) {
        state.withLock { state in
            state.activity[number] = ContinuousClock.now
            guard var exchange = state.exchanges[number], exchange.part == part else { return (bytes, false) }
            let piece = exchange.take(bytes)
            state.exchanges[number] = exchange
            let isCut = exchange.count == exchange.place
            if isCut { state.cuts.insert(exchange.place) }
            return (piece, isCut)
        }
    }
}
