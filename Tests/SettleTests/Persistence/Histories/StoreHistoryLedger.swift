import Settle

/// Who has written what at which keys, and since when it is acknowledged.
///
/// A write reaches the storage at some moment between its begin and its acknowledgement. So it has been replaced for certain if
/// another one that is acknowledged has begun after that, or comes later in the same store. Everything else may be found.
final class StoreHistoryLedger: Sendable {
    private struct Write {
        var store: Int
        var value: Int?
        var begin: Int
        /// `nil` as long as it is not acknowledged.
        var end: Int?
        /// Whether it counts as a write for the store.
        var isCertain: Bool
        /// When a save of it had failed. From then on it must not replace what others store.
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

    /// The number of the person who edits the file, among the stores.
    static let person = 0

    private let state = LockedValue(State())

    /// The first thing that must not be.
    var violation: String? { state.withLock { $0.violation } }

    func report(_ violation: String) {
        state.withLock { $0.violation = $0.violation ?? violation }
    }

    func tick() -> Int { state.withLock { $0.tick() } }

    /// Notes what is about to be published.
    ///
    /// - Parameter isCertain: False if a store may take it for no change.
    func record(_ values: [String: Int?], by store: Int, isCertain: Bool = true) {
        state.withLock { state in
            let begin = state.tick()
            for (key, value) in values {
                state.writes[key, default: []].append(
                    Write(store: store, value: value, begin: begin, isCertain: isCertain))
            }
        }
    }

    /// Notes that everything which a store has written until some time is stored.
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

    /// Notes that a save of everything that a store has written until some time has failed.
    func fail(_ store: Int, until time: Int) {
        change(store, until: time) { $0.failure = $0.failure ?? $1 }
    }

    /// Notes that some of what a store has written until some time has been given up.
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

    /// Checks values that somebody finds. What is acknowledged while he looks may have come too late for him.
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
        // What comes later in this list has begun later.
        let values = writes.indices.filter { index in
            !writes[(index + 1)...].contains { later in
                isAcknowledged(later)
                    && (later.store == writes[index].store
                        || later.begin > writes[index].end ?? writes[index].failure ?? .max)
            }
        }.map { writes[$0].value }
        return writes.contains(where: isAcknowledged) ? values : [nil] + values
    }

    /// Whether nobody has written a key since everything came to its end.
    func isSettled(_ key: String, at value: Int?) -> Bool {
        state.withLock { state in
            let writes = state.writes[key] ?? []
            return writes.count == 1 && writes[0].value == value
        }
    }

    /// Notes what everybody has found once nothing was under way. From here on there is only one truth.
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
