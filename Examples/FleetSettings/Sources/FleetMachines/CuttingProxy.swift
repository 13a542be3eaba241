import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and a member of etcd, and ends connections within requests and answers, after any byte of
/// what goes over the wire: the lines of HTTP, the lengths of its chunks, and what is in them.
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

    /// The URL for clients.
    package let endpoint: String
    private let host: String
    private let port: Int
    private let state = Mutex(State())

    private init(_ member: String, _ own: Int) throws {
        let place = member.split(separator: "/").last?.split(separator: ":") ?? []
        guard member.hasPrefix("http://"), place.count == 2, let port = Int(place[1]) else {
            throw MachineError("“\(member)” is no address of a member without encryption.")
        }
        (host, self.port, endpoint) = (String(place[0]), port, "http://127.0.0.1:\(own)")
    }

    /// Runs a proxy until some work has ended.
    package static func run<Result>(
        to member: String, _ body: (CuttingProxy) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
            }
        let proxy = try CuttingProxy(member, listener.channel.localAddress?.port ?? 0)
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

    // MARK: One connection

    private func carry(_ client: Stream) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { _ = state.withLock { $0.exchanges.removeValue(forKey: number) } }
        try await client.executeThenClose { requests, toClient in
            let member = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: self.host, port: self.port) { channel in
                    channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
                }
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
                            let (piece, isCut) = self.take(bytes, .answer, number)
                            if piece.readableBytes > 0 { try await toClient.write(piece) }
                            if isCut { return }
                        }
                    }
                    // Whichever side ends, both do.
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
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
            guard var exchange = state.exchanges[number], exchange.part == part else { return (bytes, false) }
            let piece = exchange.take(bytes)
            state.exchanges[number] = exchange
            let isCut = exchange.count == exchange.place
            if isCut { state.cuts.insert(exchange.place) }
            return (piece, isCut)
        }
    }
}
