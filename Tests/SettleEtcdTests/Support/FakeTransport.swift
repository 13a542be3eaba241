import Settle
import Synchronization

@testable import SettleEtcd

/// Carries the requests of one client to a ``FakeEtcd``, and loses what a test wants lost.
final class FakeTransport: EtcdTransport {
    enum Fault: Sendable {
        /// No connection.
        case refused
        /// The request is lost on its way.
        case requestLost
        /// The answer is lost on its way.
        case answerLost
        /// The request arrives after some others of this client, when nobody waits for its answer any more.
        case late
        /// There is no answer until the call is cancelled.
        case silence
        /// The member has no majority.
        case noQuorum
        /// The connection ends within the answer.
        case cut(at: Int)
        /// Something else answers, with an empty object.
        case emptyObject
    }

    struct State {
        /// Decides what goes wrong with a call, by its endpoint and path.
        var fault: @Sendable (EtcdRequest) -> Fault? = { _ in nil }
        /// How streams are disturbed.
        var pieces = Int.max
        var areDoubled = false
        var areFragmented = false
        /// Ends the next stream after this many bytes.
        var cutAfter: Int?
        var isStreamSilent = false
        /// Streams whose answers wait on their way, and these answers.
        var held: Set<Int> = []
        var waiting: [(stream: Int, answer: SettingValue)] = []
        /// How many of the next answers with events are lost.
        var lostEvents = 0
        var hasUnknownFields = false
        var requests: [EtcdRequest] = []
        /// Requests on their way, each with how many others arrive before it.
        var late: [(request: EtcdRequest, after: Int)] = []
        /// How many others arrive before the next one that is late.
        var lateness = 0
        /// The streams that are open.
        var streams: [Int: AsyncThrowingStream<[UInt8], any Error>.Continuation] = [:]
        var lastStream = 0
    }

    let cluster: FakeEtcd
    let tokens: EtcdTokens? = EtcdTokens()
    let state = Mutex(State())
    private let gates = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(_ cluster: FakeEtcd) { self.cluster = cluster }

    func set(_ fault: @escaping @Sendable (EtcdRequest) -> Fault?) { state.withLock { $0.fault = fault } }

    func setAll(_ fault: Fault?) { set { _ in fault } }

    /// The next calls of a path meet these faults, one after the other.
    func setNext(_ faults: [Fault?], of path: String = EtcdPath.transaction) {
        let rest = Mutex(faults)
        set { request in
            guard request.path == path else { return nil }
            return rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    func requests(of path: String) -> [EtcdRequest] { state.withLock { $0.requests }.filter { $0.path == path } }

    /// What the streams that are open now bring waits on its way. Later ones are not concerned.
    func holdStreams() { state.withLock { $0.held = Set($0.streams.keys) } }

    /// Brings what has waited.
    func releaseStreams() {
        let waiting = state.withLock { state in
            defer { (state.held, state.waiting) = ([], []) }
            return state.waiting.compactMap { stream, answer in state.streams[stream].map { (stream, answer, $0) } }
        }
        for (number, answer, stream) in waiting { send(answer, number, to: stream) }
    }

    /// Ends all streams.
    func endStreams() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            return state.streams.values.map { $0 }
        }
        for stream in streams { stream.finish(throwing: EtcdTransportError("the connection was closed")) }
    }

    func call(_ request: EtcdRequest) async throws -> EtcdAnswer {
        // Without the lock: it may store something, which comes to this client's streams.
        let fault = state.withLock { $0.fault }(request)
        let late = state.withLock { state in
            state.requests.append(request)
            for index in state.late.indices { state.late[index].after -= 1 }
            let late = state.late.filter { $0.after < 0 }.map(\.request)
            state.late.removeAll { $0.after < 0 }
            if case .late = fault {
                state.late.append((request, state.lateness))
                state.lateness = (state.lateness + 1) % 7
            }
            return late
        }
        for request in late {
            _ = cluster.answer(request.path, request.body, token: request.headers["Authorization"])
        }
        switch fault {
        case .refused: throw EtcdTransportError("the connection was refused", isSurelyUnsent: true)
        case .requestLost, .late: throw EtcdTransportError("the connection was closed")
        case .silence:
            try await Self.waitForCancellation()
            throw EtcdTransportError("the call was cancelled")
        case .noQuorum:
            return EtcdAnswer(
                status: 503, body: Array(#"{"error":"etcdserver: request timed out","code":14}"#.utf8))
        case .emptyObject: return EtcdAnswer(status: 200, body: Array("{}".utf8))
        case .answerLost, .cut, nil: break
        }
        let (status, object) = cluster.answer(request.path, request.body, token: request.headers["Authorization"])
        if case .answerLost = fault { throw EtcdTransportError("the connection was closed") }
        var body = [UInt8](try spelled(object).json())
        if case .cut(at: let place) = fault { body = Array(body.prefix(place)) }
        return EtcdAnswer(status: status, body: body)
    }

    private static func waitForCancellation() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        defer { continuation.finish() }
        for await _ in stream {}
        try Task.checkCancellation()
    }

    private func spelled(_ object: SettingValue) -> SettingValue {
        guard state.withLock({ $0.hasUnknownFields }) else { return object }
        return Self.withUnknownFields(object)
    }

    private static func withUnknownFields(_ value: SettingValue) -> SettingValue {
        switch value {
        case .dictionary(let entries):
            var new = SettingValue.Entries(uniqueKeysWithValues: entries.map { ($0.key, withUnknownFields($0.value)) })
            new["a_field_of_2031"] = .dictionary(["x": .array([.integer(1), .null])])
            return .dictionary(new)
        case .array(let values): return .array(values.map(withUnknownFields))
        default: return value
        }
    }

    func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
        let fault = state.withLock { state in
            state.requests.append(request)
            return state.fault(request)
        }
        switch fault {
        case .refused: throw EtcdTransportError("the connection was refused", isSurelyUnsent: true)
        case .silence:
            try await Self.waitForCancellation()
            throw EtcdTransportError("the call was cancelled")
        case nil: break
        default: throw EtcdTransportError("the connection was closed")
        }
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            return state.lastStream
        }
        let watcher = cluster.watch(request.body, token: request.headers["Authorization"]) { [self] answer in
            send(answer, number, to: continuation)
        }
        continuation.onTermination = { [self] _ in
            _ = state.withLock { $0.streams.removeValue(forKey: number) }
            // Later: a stream that is cut ends while the cluster sends.
            Task { cluster.unwatch(watcher) }
        }
        return stream
    }

    private func send(
        _ answer: SettingValue, _ number: Int, to stream: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) {
        guard !isKeptBack(answer, number) else { return }
        var answers = [answer]
        let (isSilent, areFragmented, areDoubled, pieces) = state.withLock {
            ($0.isStreamSilent, $0.areFragmented, $0.areDoubled, $0.pieces)
        }
        if isSilent { return }
        if areFragmented { answers = answers.flatMap(Self.fragments) }
        if areDoubled { answers = answers.flatMap { [$0, $0] } }
        for answer in answers {
            guard let json = try? spelled(answer).json() else { continue }
            var rest = ([UInt8](json) + [UInt8(ascii: "\n")])[...]
            while !rest.isEmpty {
                let piece = rest.prefix(pieces)
                rest = rest.dropFirst(piece.count)
                guard let left = cut(piece.count) else {
                    stream.yield(Array(piece))
                    continue
                }
                stream.yield(Array(piece.prefix(left)))
                stream.finish(throwing: EtcdTransportError("the connection was closed"))
                return
            }
        }
    }

    /// Whether an answer waits, or is lost.
    private func isKeptBack(_ answer: SettingValue, _ number: Int) -> Bool {
        state.withLock { state in
            if state.held.contains(number) {
                state.waiting.append((number, answer))
                return true
            }
            guard case .dictionary(let outer) = answer, case .dictionary(let result)? = outer["result"],
                result["events"] != nil, state.lostEvents > 0
            else { return false }
            state.lostEvents -= 1
            return true
        }
    }

    /// - Returns: How much of a piece still comes, if the stream is cut in it.
    private func cut(_ count: Int) -> Int? {
        state.withLock { state in
            guard let left = state.cutAfter else { return nil }
            if left > count {
                state.cutAfter = left - count
                return nil
            }
            state.cutAfter = nil
            return left
        }
    }

    private static func fragments(_ answer: SettingValue) -> [SettingValue] {
        guard case .dictionary(let outer) = answer, case .dictionary(var result)? = outer["result"],
            case .array(let events)? = result["events"], events.count > 1
        else { return [answer] }
        return events.indices.map { index in
            result["events"] = .array([events[index]])
            result["fragment"] = index < events.count - 1 ? .bool(true) : nil
            return .dictionary(["result": .dictionary(result)])
        }
    }
}
