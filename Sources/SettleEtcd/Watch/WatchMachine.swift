import Settle

/// Interprets the lines of a stream of changes. Decides when to give up a stream, what to do before the next one, and
/// when to open it. Has no clock, task or connection: it receives events and returns actions.
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
/// A stream is opened at the revision after the last one that was followed, so nothing is left out, however often it is
/// cut. Duplicates are dropped by their revision.
struct WatchMachine: Sendable {
    enum Action: Sendable, Equatable {
        /// The stream was created. It delivers everything from now on, once the driver accepts it.
        case opened(GatewayHeader)
        /// The changes, revision by revision.
        case changed([Mirror.Update], GatewayHeader)
        /// The changes after the known revision were forgotten: read everything, and open the next stream from there.
        /// Carries the revision up to which etcd has compacted.
        case compacted(at: Int64)
        /// The stream is no longer usable; the text gives the reason.
        case ended(reason: String, isUnauthenticated: Bool)
    }

    /// The action required before the next stream.
    enum Remedy: Sendable, Equatable {
        case none
        /// A read: the stream can't deliver the missing changes. Then the delay: a member that is behind would report
        /// the same again.
        case read
        /// A read, and the next stream at once: etcd has forgotten the revision at which it would begin.
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
    /// The number of streams that have failed since one was good for a while.
    private var failures = 0
    private var openedAt: Duration?
    /// The time at which the stream last delivered something.
    private(set) var heard = Duration.zero
    /// Whether it was reported that no member sustains a stream.
    private var isReported = false

    private let delays: ClosedRange<Duration>
    /// The time without a failure after which the delays start over.
    private static let healthy = Duration.seconds(60)

    init(delays: ClosedRange<Duration>) { self.delays = delays }

    /// Requests everything from a revision on.
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

    /// Makes a member without a leader end the stream instead of being silent.
    static let headers = ["Grpc-Metadata-hasleader": "true"]

    /// Whether a stream is active.
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

    /// Records the end of the stream. Its last line may lack a line ending, and is complete if it is an object.
    mutating func finish(now: Duration) -> [Action] {
        guard isActive, let line = lines.finish(), GatewayObject(line) != nil else { return [] }
        return read(line, now: now)
    }

    /// Accepts the created stream: it delivers the known history.
    mutating func accept() { if state == .opening { state = .open } }

    /// Records that the stream was found to deliver everything, although it is silent.
    mutating func didCheck(now: Duration) { heard = now }

    /// Gives up the stream. The first reason stays.
    mutating func end(_ remedy: Remedy) { if isActive { state = .ended(remedy) } }

    /// Records that there is no longer a stream.
    mutating func close() -> Remedy {
        defer { state = .idle }
        if case .ended(let remedy) = state { return remedy }
        return .none
    }

    private mutating func read(_ line: [UInt8], now: Duration) -> [Action] {
        guard let object = GatewayObject(line) else { return end("it has sent a line that is not JSON") }
        guard let result = object.object("result") else {
            let failure = GatewayFailure(status: 503, body: line, endpoint: "")
            return end(failure.reason, isUnauthenticated: failure.isUnauthenticated || Self.isOfToken(failure.reason))
        }
        let header = GatewayHeader(result.object("header"))
        if result.bool("canceled") {
            // Zero unless the first revision to deliver has been compacted.
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

    /// Returns whether another token is worth trying. A watch has no code that distinguishes an expired token from a
    /// user who may not read.
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

    /// Records that a stream has failed.
    ///
    /// - Parameter random: From 0 to 1.
    /// - Returns: The delay before the next one. Never zero: a thousand clients of a member that was restarted must not
    ///   come back at one moment.
    mutating func failed(now: Duration, random: Double) -> Duration {
        if let openedAt, now - openedAt >= Self.healthy { failures = 0 }
        openedAt = nil
        let longest = min(delays.upperBound, delays.lowerBound * (1 << min(failures, 16)))
        failures += 1
        return longest / 2 + longest / 2 * random
    }

    /// - Parameter members: The number of failures that makes a report worthwhile.
    /// - Returns: Whether to report now that no member sustains a stream.
    mutating func reportsFailure(of members: Int) -> Bool {
        guard failures >= members, !isReported else { return false }
        isReported = true
        return true
    }

    /// - Returns: Whether the failure had been reported.
    mutating func reportsSuccess() -> Bool {
        defer { isReported = false }
        return isReported
    }
}
