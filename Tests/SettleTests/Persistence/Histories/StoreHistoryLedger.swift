import Settle

/// Records which store wrote which value at which key, and when the write was acknowledged.
///
/// A write reaches the storage at some moment between its begin and its acknowledgement. It has certainly been replaced
/// if another acknowledged write began after that, or comes later in the same store. Any other value may be found.
final class StoreHistoryLedger: Sendable {
    private struct Write {
        var store: Int
        var value: Int?
        var begin: Int
        /// `nil` until it is acknowledged.
        var end: Int?
        /// Whether the store certainly counts it as a write.
        var isCertain: Bool
        /// When its save failed. From then on it must not replace what other stores save.
        var failure: Int?
    }

    private struct State {
        var time = 0
        var writes: [String: [Write]] = [:]
        var violation: String?

        mutating func tick() -> Int {
            time += 1
            return time
        }
    }

    /// The person's number among the stores.
    static let person = 0

    private let state = LockedValue(State())

    /// The first violation.
    var violation: String? { state.withLock { $0.violation } }

    func report(_ violation: String) {
        state.withLock { $0.violation = $0.violation ?? violation }
    }

    func tick() -> Int { state.withLock { $0.tick() } }

    /// Records what is about to be published.
    ///
    /// - Parameter isCertain: False if a store may treat it as no change.
    func record(_ values: [String: Int?], by store: Int, isCertain: Bool = true) {
        state.withLock { state in
            let begin = state.tick()
            for (key, value) in values {
                state.writes[key, default: []].append(
                    Write(store: store, value: value, begin: begin, isCertain: isCertain))
            }
        }
    }

    /// Records that everything a store wrote until a time is stored.
    func acknowledge(_ store: Int, until time: Int = .max) {
        state.withLock { state in
            let end = state.tick()
            for (key, writes) in state.writes {
                state.writes[key] = writes.map { write in
                    guard write.store == store, write.begin <= time, write.end == nil, write.isCertain else {
                        return write
                    }
                    var write = write
                    write.end = end
                    return write
                }
            }
        }
    }

    /// Records that saving what a store wrote until a time has failed.
    func fail(_ store: Int, until time: Int) {
        change(store, until: time) { $0.failure = $0.failure ?? $1 }
    }

    /// Records that some of what a store wrote until a time has been given up.
    func giveUp(_ store: Int, from begin: Int = 0, until time: Int) {
        change(store, until: time) { write, _ in if write.begin >= begin { write.isCertain = false } }
    }

    private func change(_ store: Int, until time: Int, _ change: (inout Write, _ now: Int) -> Void) {
        state.withLock { state in
            let now = state.tick()
            for key in state.writes.keys {
                for index in state.writes[key, default: []].indices {
                    guard let write = state.writes[key]?[index], write.store == store, write.begin <= time,
                        write.end == nil
                    else { continue }
                    var changed = write
                    change(&changed, now)
                    state.writes[key]?[index] = changed
                }
            }
        }
    }

    /// Checks the values that a store or process finds. An acknowledgement meanwhile may come too late for it.
    func check(by finder: String, _ find: () throws -> [String: Int]) rethrows {
        let begin = tick()
        let found = try find()
        state.withLock { state in
            for key in StoreHistoryKeys.all where state.violation == nil {
                let possible = Self.possible(state.writes[key] ?? [], asOf: begin)
                guard !possible.contains(found[key]) else { continue }
                let names = possible.map { $0.map(String.init) ?? "nothing" }
                state.violation =
                    "\(finder) finds \(found[key].map(String.init) ?? "nothing") at \(key) instead of "
                    + names.joined(separator: " or ")
            }
        }
    }

    private static func possible(_ writes: [Write], asOf time: Int) -> [Int?] {
        func isAcknowledged(_ write: Write) -> Bool { write.end.map { $0 < time } ?? false }
        // Later entries began later.
        let values = writes.indices.filter { index in
            !writes[(index + 1)...].contains { later in
                isAcknowledged(later)
                    && (later.store == writes[index].store
                        || later.begin > writes[index].end ?? writes[index].failure ?? .max)
            }
        }.map { writes[$0].value }
        return writes.contains(where: isAcknowledged) ? values : [nil] + values
    }

    /// Whether a key has not been written since everything was last finished.
    func isSettled(_ key: String, at value: Int?) -> Bool {
        state.withLock { state in
            let writes = state.writes[key] ?? []
            return writes.count == 1 && writes[0].value == value
        }
    }

    /// Records what all stores found once nothing was under way. From here on only these values are possible.
    func settle(_ found: [String: Int]) {
        state.withLock { state in
            let now = state.tick()
            state.writes = [:]
            for key in StoreHistoryKeys.all {
                state.writes[key] = [Write(store: -1, value: found[key], begin: now, end: now, isCertain: true)]
            }
        }
    }
}
