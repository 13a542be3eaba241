import Settle

/// Decides what the lines of a stream of changes mean, when a stream is given up, what has to happen before the next
/// one, and when to open that. Has no clock, task or connection: it is told what has happened, and returns what to do.
///
/// ```
///   idle ──open──▶ opening ──accept───▶ open ──whole answers──▶ open, changes
///                     │                  │
///                     │                  ├ a fragment ──▶ open, the rest is awaited
///                     ├──────────────────┤
///                     │ compacted, behind, an error, the end, or silence
///                     ▼
///          ended(with a remedy) ──close──▶ idle ──remedy, back-off──▶ opening, at the next member
/// ```
///
/// A stream is opened from the revision behind the last one that was followed, so nothing is left out, however often it
/// is cut; what comes twice is dropped by its revision.
struct WatchMachine: Sendable {
    enum Action: Sendable, Equatable {
        /// The stream was created. It brings everything from now on, once the driver accepts it.
        case opened(GatewayHeader)
        /// What happened, revision by revision.
        case changed([Mirror.Update], GatewayHeader)
        /// What came after the known revision was forgotten: read everything, and open the next stream from there. With
        /// the revision up to which etcd has compacted.
        case compacted(at: Int64)
        /// The stream is of no use any more; the text says why.
        case ended(reason: String, isUnauthenticated: Bool)
    }

    /// What has to happen before the next stream.
    enum Remedy: Sendable, Equatable {
        case none
        /// A read: the stream can't bring what is missing. Then the delay: a member that is behind would say the same
        /// again.
        case read
        /// A read, and the next stream at once: etcd has forgotten where it would begin.
        case readAndReopen
        /// Another token.
        case authenticate
    }

    enum State: Sendable, Equatable {
        case idle
        case opening
        case open
        case ended(Remedy)
    }

    private(set) var state = State.idle
    private var lines = LineSplitter()
    /// The events of an answer that comes in several lines.
    private var fragments: [GatewayObject] = []
    /// How many streams have failed since one was good for a while.
    private var failures = 0
    private var openedAt: Duration?
    /// When the stream has last brought something.
    private(set) var heard = Duration.zero
    /// Whether it was reported that no member keeps a stream.
    private var isReported = false

    private let delays: ClosedRange<Duration>
    /// After how long without a failure the delays begin anew.
    private static let healthy = Duration.seconds(60)

    init(delays: ClosedRange<Duration>) { self.delays = delays }

    /// Asks for everything from a revision on.
    static func request(_ space: KeySpace, from revision: Int64) -> [UInt8] {
        let (key, end) = space.range
        return GatewayWriter.object { writer in
            writer.object("create_request") { writer in
                writer.flag("fragment")
                writer.field("key", key)
                writer.field("range_end", end)
                writer.field("start_revision", revision)
            }
        }
    }

    /// A member without a leader ends the stream instead of being silent.
    static let headers = ["Grpc-Metadata-hasleader": "true"]

    /// Whether a stream is under way.
    private var isActive: Bool { state == .opening || state == .open }

    mutating func open(now: Duration) {
        (state, heard) = (.opening, now)
        lines = LineSplitter()
        fragments = []
    }

    mutating func receive(_ bytes: [UInt8], now: Duration) -> [Action] {
        guard isActive else { return [] }
        heard = now
        var actions: [Action] = []
        for line in lines.add(bytes) {
            actions += read(line, now: now)
            if !isActive { break }
        }
        return actions
    }

    /// The stream has ended. Its last line may lack an end, and is whole if it is an object.
    mutating func finish(now: Duration) -> [Action] {
        guard isActive, let line = lines.finish(), GatewayObject(line) != nil else { return [] }
        return read(line, now: now)
    }

    /// The stream that was created brings the history that is known here.
    mutating func accept() { if state == .opening { state = .open } }

    /// The stream was found to bring everything, although it is silent.
    mutating func didCheck(now: Duration) { heard = now }

    /// The stream is given up. The first reason stays.
    mutating func end(_ remedy: Remedy) { if isActive { state = .ended(remedy) } }

    /// There is no stream any more.
    mutating func close() -> Remedy {
        defer { state = .idle }
        if case .ended(let remedy) = state { return remedy }
        return .none
    }

    private mutating func read(_ line: [UInt8], now: Duration) -> [Action] {
        guard let object = GatewayObject(line) else { return end("it has sent a line that is no JSON") }
        guard let result = object.object("result") else {
            let failure = GatewayFailure(status: 503, body: line, endpoint: "")
            return end(failure.reason, isUnauthenticated: failure.isUnauthenticated || Self.isOfToken(failure.reason))
        }
        let header = GatewayHeader(result.object("header"))
        if result.bool("canceled") {
            // Zero unless the revision to begin with is gone.
            let compacted = result.signed("compact_revision")
            if compacted > 0 {
                end(.readAndReopen)
                return [.compacted(at: compacted)]
            }
            let reason = result.text("cancel_reason")
            return end(
                reason.isEmpty ? "etcd has canceled the watch" : reason, isUnauthenticated: Self.isOfToken(reason))
        }
        if result.bool("created") {
            openedAt = now
            return [.opened(header)]
        }
        fragments += result.objects("events")
        guard !result.bool("fragment"), !fragments.isEmpty else { return [] }
        defer { fragments = [] }
        return [.changed(Self.updates(fragments), header)]
    }

    /// A watch has no code to tell a token that has expired from a user who may not read: another token is worth a try.
    private static func isOfToken(_ reason: String) -> Bool {
        ["auth", "permission denied", "PermissionDenied"].contains { reason.contains($0) }
    }

    private mutating func end(_ reason: String, isUnauthenticated: Bool = false) -> [Action] {
        end(isUnauthenticated ? .authenticate : .none)
        return [.ended(reason: reason, isUnauthenticated: isUnauthenticated)]
    }

    private static func updates(_ events: [GatewayObject]) -> [Mirror.Update] {
        var updates: [Mirror.Update] = []
        for event in events {
            guard let object = event.object("kv") else { continue }
            let pair = GatewayPair(object)
            if updates.last?.revision != pair.modRevision { updates.append(Mirror.Update(revision: pair.modRevision)) }
            let isDelete = event.text("type") == "DELETE" || event.signed("type") == 1
            if isDelete {
                updates[updates.count - 1].deletes.append(pair.key)
            } else {
                updates[updates.count - 1].puts.append(pair)
            }
        }
        return updates
    }

    // MARK: The next one

    /// A stream has failed.
    ///
    /// - Parameter random: From 0 to 1.
    /// - Returns: How long to wait before the next one. Never nothing: a thousand clients of a member that was
    ///   restarted must not come back in one moment.
    mutating func failed(now: Duration, random: Double) -> Duration {
        if let openedAt, now - openedAt >= Self.healthy { failures = 0 }
        openedAt = nil
        let longest = min(delays.upperBound, delays.lowerBound * (1 << min(failures, 16)))
        failures += 1
        return longest / 2 + longest / 2 * random
    }

    /// - Parameter members: How many have to fail before it is worth a report.
    /// - Returns: Whether to report now that no member keeps a stream.
    mutating func reportsFailure(of members: Int) -> Bool {
        guard failures >= members, !isReported else { return false }
        isReported = true
        return true
    }

    /// - Returns: Whether the opposite was reported.
    mutating func reportsSuccess() -> Bool {
        defer { isReported = false }
        return isReported
    }
}
