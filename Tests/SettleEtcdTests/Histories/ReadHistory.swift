import Synchronization

@testable import SettleEtcd

/// Compares the answers that clients got with the cluster's revisions: a commit that has changed something has read the
/// values just before its revision, and any other one the values of some revision between its call and its answer.
///
/// Values may be equal, so it searches for a revision for each commit.
struct ReadHistory {
    struct Write: Hashable {
        var register: Int
        var value: Int
    }

    enum Outcome: Hashable {
        /// With the values found, by the registers.
        case acknowledged(found: [Int: Int])
        case refused
        case unknown
    }

    /// A commit, or a read.
    struct Operation: Hashable {
        /// The cluster's revisions before the call and after the answer.
        var called: Int
        var answered: Int
        var write: Write?
        var outcome: Outcome
    }

    /// The values after each revision.
    private var states: [[Int]] = []
    private var writes: [[Write]] = []

    /// - Parameter keys: The keys of the registers.
    init(_ cluster: FakeEtcd, keys: [String]) {
        let (events, last) = cluster.state.withLock { ($0.allEvents, $0.revision) }
        let keys = keys.map { Array($0.utf8) }
        self.init(registers: keys.count, revisions: Int(last)) { revision in
            (events[Int64(revision)] ?? []).compactMap { event in
                guard let register = keys.firstIndex(of: event.key) else { return nil }
                let text = event.value.map { String(decoding: $0.bytes, as: UTF8.self) }
                return Write(register: register, value: text.flatMap { Int($0) } ?? 0)
            }
        }
    }

    init(registers: Int, revisions last: Int, _ writes: (Int) -> [Write]) {
        var state = [Int](repeating: 0, count: registers)
        for revision in 0...last {
            let new = writes(revision)
            for write in new { state[write.register] = write.value }
            self.writes.append(new)
            states.append(state)
        }
    }

    /// A write of the cluster's history.
    private struct Home: Hashable {
        var revision: Int
        var write: Write
    }

    /// Sentences about what no revision explains.
    func problems(_ operations: [Operation]) -> [String] {
        var problems: [String] = []
        var unknown: [Write: Int] = [:]
        var commits: [(operation: Operation, homes: [Home])] = []
        for operation in operations {
            let times = operation.called...operation.answered
            switch (operation.outcome, operation.write) {
            case (.refused, _): break
            case (.unknown, let write): if let write { unknown[write, default: 0] += 1 }
            case (.acknowledged(let found), let write?) where found[write.register] != write.value:
                let homes = times.dropFirst().filter { isBefore(found, write, at: $0) }
                commits.append((operation, homes.map { Home(revision: $0, write: write) }))
            case (.acknowledged(let found), _):
                let isExplained = times.contains { time in found.allSatisfy { states[time][$0.key] == $0.value } }
                if !isExplained { problems.append("Nothing explains what it has read: \(operation)") }
            }
        }
        let assigned = Self.assign(commits.map(\.homes))
        for (index, commit) in commits.enumerated() where !assigned.values.contains(index) {
            problems.append("It was acknowledged, and no revision fits: \(commit.operation)")
        }
        for (revision, writes) in writes.enumerated() {
            for write in writes where assigned[Home(revision: revision, write: write)] == nil {
                unknown[write, default: 0] -= 1
                if unknown[write, default: 0] < 0 { problems.append("Nobody has stored \(write) at \(revision).") }
            }
        }
        return problems
    }

    /// Whether a revision has stored a write after these values. What the same client has stored with it comes first.
    private func isBefore(_ found: [Int: Int], _ write: Write, at revision: Int) -> Bool {
        guard writes[revision].contains(write) else { return false }
        return found.allSatisfy { register, value in
            states[revision - 1][register] == value
                || writes[revision].contains(Write(register: register, value: value))
        }
    }

    /// Gives as many as possible a home of their own, by augmenting paths.
    ///
    /// - Returns: Who has each home, by the index.
    private static func assign(_ homes: [[Home]]) -> [Home: Int] {
        var owners: [Home: Int] = [:]
        func settle(_ index: Int, _ visited: inout Set<Home>) -> Bool {
            for home in homes[index] where visited.insert(home).inserted {
                guard let owner = owners[home] else {
                    owners[home] = index
                    return true
                }
                if settle(owner, &visited) {
                    owners[home] = index
                    return true
                }
            }
            return false
        }
        for index in homes.indices {
            var visited: Set<Home> = []
            _ = settle(index, &visited)
        }
        return owners
    }
}
