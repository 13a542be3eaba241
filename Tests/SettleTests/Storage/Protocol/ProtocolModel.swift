/// Tries every way in which two processes, a person, kills and a loss of power can go through the protocol.
///
/// What must be true stands in ``properties``. What each process still may do is limited, so that the search ends.
struct ProtocolModel {
    typealias Values = ProtocolState.Values

    /// Parts of the protocol that can be left out, to see what each is good for.
    enum Rule: CaseIterable {
        /// Look at the file before something is appended.
        case mergesEdits
        /// Look at what an exchange has displaced.
        case mergesDisplaced
        /// Find out, before anything else, what became of a version whose writer has ended.
        case resolves
        /// Make stable what is acknowledged.
        case syncs
    }

    enum Phase: Hashable, Sendable { case idle, entering, ready, began, synced, exchanged, settled, stable, ending }

    struct Process: Hashable, Sendable {
        var phase = Phase.idle
        var isAlive = true
        /// What it has read last: in case that the journal is removed.
        var known: ProtocolState.Journal
    }

    struct State: Hashable, Sendable {
        var files: ProtocolState
        var processes: [Process]
        /// The next value that is written. Each is greater than those before.
        var next: Int64 = 2
        /// What has been stored, in the order of the journal.
        var truth: Values
        /// What each key has had since it was acknowledged as stable.
        var stable: [String: Set<Int64>]
        /// What a person has edited and no process has merged.
        var edited: Values = [:]
        /// Whether something is written over an edit that was there before its writer had the lock.
        var hasOvertakenEdit = false
        var budget: Budget
        /// Whether somebody has removed files.
        var isDisturbed = false
        /// After a loss of power.
        var isOff = false
    }

    /// How often each may happen, so that the search ends.
    struct Budget: Hashable, Sendable {
        var writes = 1
        var checkpoints = 1
        var renewals = 1
        var edits = 1
        var kills = 1
        var removals = 0
    }

    var rules = Set(Rule.allCases)
    var budget = Budget()

    private var start: State {
        let values: Values = ["a": 1, "b": 1]
        let process = Process(known: ProtocolState.Journal(tree: values, mirrors: [values]))
        return State(
            files: ProtocolState(values), processes: [process, process], truth: values,
            stable: values.mapValues { [$0] }, budget: budget)
    }

    // MARK: Properties

    struct Property: Sendable {
        var name: String
        var holds: @Sendable (State) -> Bool
    }

    static let properties = [
        Property(name: "What is stored is found by a load") { state in
            guard !state.isOff, !state.isAmiss, !state.files.hidesEdit else { return true }
            return state.files.loaded == state.truth.merging(state.edited) { $1 }
        },
        Property(name: "What was acknowledged as stable survives a loss of power") { state in
            guard state.isOff, !state.isDisturbed, let found = state.files.loaded else { return true }
            return state.stable.allSatisfy { key, values in
                found[key].map { values.contains($0) || $0 == state.edited[key] } ?? false
            }
        },
        Property(name: "What is stored comes after what was edited before") { !$0.hasOvertakenEdit },
        Property(name: "An edit is in the file, or beside it until a process has merged it") { state in
            state.isOff || state.isAmiss
                || state.edited.allSatisfy { key, value in
                    state.files.file?[key] == value || state.files.hidesEdit && state.files.displaced?[key] == value
                }
        },
        Property(name: "The file is a version that the journal knows, or edited") { state in
            state.isOff || state.isAmiss || !state.edited.isEmpty
                || state.files.journal?.mirrors.contains(state.files.file) == true
        },
        Property(name: "What has been removed while processes have it open is stored again") { state in
            guard !state.isOff, state.isAmiss, state.files.lock == nil,
                let index = state.processes.indices.last(where: { state.processes[$0].isAlive })
            else { return true }
            var state = state
            for index in state.processes.indices where state.processes[index].isAlive { try? state.look(index) }
            try? state.look(index)
            return state.files.loaded == state.truth
        },
    ]

    // MARK: The search

    struct Result {
        var count: Int
        /// The property that does not hold, and the way to it.
        var violation: (property: String, way: [String])?
    }

    /// Breadth first, so that the way to what is wrong is a shortest one.
    func search(atMost limit: Int = .max) -> Result {
        var ways: [State: (from: State, action: String)] = [:]
        var (known, queue, next): (Set<State>, [State], Int) = ([start], [start], 0)
        while next < queue.count, known.count < limit {
            let state = queue[next]
            next += 1
            for (action, new) in successors(of: state) {
                if let broken = Self.properties.first(where: { !$0.holds(new) }) {
                    var (way, place) = ([action], state)
                    while let step = ways[place] { (way, place) = ([step.action] + way, step.from) }
                    return Result(count: known.count, violation: (broken.name, way))
                }
                // After a loss of power nobody does anything more.
                guard !new.isOff, known.insert(new).inserted else { continue }
                ways[new] = (state, action)
                queue.append(new)
            }
        }
        return Result(count: known.count)
    }

    func successors(of state: State) -> [(action: String, state: State)] {
        var found: [(String, State)] = []
        func add(_ action: String, _ change: (inout State) throws -> Void) {
            var new = state
            guard (try? change(&new)) != nil, new != state else { return }
            found.append((action, new))
        }
        for index in state.processes.indices where state.processes[index].isAlive {
            let steps = steps(of: index, in: state)
            for (action, change) in steps { add("\(index) \(action)", change) }
            if state.budget.kills > 0 { add("\(index) is killed") { $0.kill(index) } }
        }
        if state.budget.edits > 0, state.files.file != nil {
            for key in ["a", "b"] { add("edit \(key)") { $0.edit(key) } }
        }
        for (losesJournal, losesNames) in [(true, true), (true, false), (false, true)] {
            add("the power fails") { $0.losePower(losesJournal, losesNames) }
        }
        if state.budget.removals > 0 {
            add("remove the file") { $0.removeFile() }
            add("remove the journal") { $0.removeJournal() }
        }
        return found
    }

    /// What a process may do next.
    private func steps(of index: Int, in state: State) -> [(String, (inout State) throws -> Void)] {
        let process = state.processes[index]
        func step(_ phase: Phase, _ step: ProtocolState.Step) -> (inout State) throws -> Void {
            { state in
                try state.files.apply(step, by: index)
                state.processes[index].phase = phase
            }
        }
        switch process.phase {
        case .idle: return [("locks", step(.entering, .lock))]
        case .entering: return [("reads on", { try $0.enter(index, rules) })]
        case .ready:
            var steps: [(String, (inout State) throws -> Void)] = [("unlocks", { try $0.leave(index) })]
            if state.budget.writes > 0 {
                for key in ["a", "b"] { steps.append(("sets \(key)", { try $0.set(key, index, rules) })) }
            }
            if state.budget.renewals > 0 { steps.append(("begins a journal", { try $0.renew(index) })) }
            // Where the file has everything, there is nothing to be written.
            let hasMore = state.files.journal.map { $0.tree != $0.mirrors[0] } ?? false
            if state.budget.checkpoints > 0, hasMore { steps.append(("is about to write", step(.began, .mirroring))) }
            return steps
        case .began: return [("syncs", step(.synced, .sync))]
        case .synced: return [("exchanges", step(.exchanged, .exchange))]
        case .exchanged: return [("looks at what it has displaced", { try $0.settle(index, rules) })]
        case .settled: return [("syncs the folder", step(.stable, .syncFolder))]
        case .stable:
            let version = state.files.journal?.mirrors.last ?? nil
            return [("has written", step(.ending, .mirrored(version)))]
        case .ending:
            return [
                (
                    "is done",
                    { state in
                        state.processes[index].phase = .ready
                        state.budget.checkpoints -= 1
                    }
                )
            ]
        }
    }
}
