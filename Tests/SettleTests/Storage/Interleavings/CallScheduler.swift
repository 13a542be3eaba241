import Foundation
import Settle
import SettleTesting

/// Lets one of several actors at a time make a step, such as a system call, and decides which one is next.
///
/// Each actor runs on a thread of its own, which waits before each step until it is its turn. So the order of all steps
/// is one that was chosen, and choosing the same again repeats it.
final class CallScheduler: Sendable {
    /// A moment at which an actor was chosen.
    struct Choice: Sendable {
        /// Those that could have made the next step.
        var candidates: [Int]
        /// The one that made the step before, if it is among them.
        var current: Int?
        var chosen: Int
    }

    /// Decides what is done next.
    enum Plan: Sendable {
        /// These actors, and then whoever made the step before, as long as it can.
        case given([Int])
        /// Any, with a chance of one in so many that it is another one.
        case random(seed: UInt64, oneIn: UInt64)
    }

    private struct State: Sendable {
        /// Those that wait for their turn, or for a lock.
        var waiting: Set<Int> = []
        /// Those of them that wait until another one gives a lock up.
        var blocked: Set<Int> = []
        /// Those of them that wait until so many steps have been made.
        var sleeping: [Int: Int] = [:]
        var running: Set<Int>
        var current: Int?
        var choices: [Choice] = []
        var random: SeededGenerator
        var isStuck = false
    }

    /// After how many steps nobody will come to an end any more.
    private static let limit = 20_000

    private let plan: Plan
    private let state: LockedValue<State>
    private let turns: [DispatchSemaphore]
    private let finished = DispatchSemaphore(value: 0)

    init(actors: Int, plan: Plan) {
        self.plan = plan
        let seed: UInt64 = if case .random(let seed, _) = plan { seed } else { 0 }
        state = LockedValue(State(running: Set(0..<actors), random: SeededGenerator(seed: seed)))
        turns = (0..<actors).map { _ in DispatchSemaphore(value: 0) }
    }

    /// What has been chosen so far.
    var choices: [Choice] { state.withLock { $0.choices } }
    /// How many steps have been made.
    var time: Int { state.withLock { $0.choices.count } }
    /// Whether actors wait for locks that nobody will give up.
    var isStuck: Bool { state.withLock { $0.isStuck } }

    /// Whether the actors go on without end.
    var isEndless: Bool { time > Self.limit }

    /// Runs the actors until all have ended.
    func run(_ bodies: [@Sendable () -> Void]) {
        for (actor, body) in bodies.enumerated() {
            let thread = Thread { [self] in
                body()
                end(actor)
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        finished.wait()
    }

    /// Waits until it is an actor's turn.
    ///
    /// - Parameters:
    ///   - isBlocked: Whether that is not before another one has given a lock up.
    ///   - time: Before how many steps it is not, unless nobody else has anything to do.
    func step(_ actor: Int, isBlocked: Bool = false, notBefore time: Int = 0) {
        let goesOn = state.withLock { state in
            state.waiting.insert(actor)
            if isBlocked { state.blocked.insert(actor) }
            if time > state.choices.count { state.sleeping[actor] = time }
            return chooseNext(&state, for: actor)
        }
        if !goesOn { turns[actor].wait() }
    }

    /// Lets an actor that waits go on without a turn, since it has been killed. The next one is chosen when it has
    /// ended.
    func release(_ actor: Int) {
        let isWaiting = state.withLock { state in
            state.blocked.remove(actor)
            state.sleeping[actor] = nil
            return state.waiting.remove(actor) != nil
        }
        if isWaiting { turns[actor].signal() }
    }

    /// A lock has been given up: who waits for one tries again.
    func didUnlock() {
        state.withLock { $0.blocked = [] }
    }

    private func end(_ actor: Int) {
        let isLast = state.withLock { state in
            state.running.remove(actor)
            state.waiting.remove(actor)
            state.blocked.remove(actor)
            _ = chooseNext(&state, for: nil)
            return state.running.isEmpty
        }
        if isLast { finished.signal() }
    }

    /// Chooses once all that run are waiting.
    ///
    /// - Returns: Whether it is the turn of the one that asks.
    private func chooseNext(_ state: inout State, for asking: Int?) -> Bool {
        guard !state.running.isEmpty, state.waiting.count == state.running.count else { return false }
        state.sleeping = state.sleeping.filter { $0.value > state.choices.count }
        let awake = state.waiting.subtracting(state.blocked)
        var candidates = awake.filter { state.sleeping[$0] == nil }.sorted()
        if candidates.isEmpty { candidates = awake.sorted() }
        if candidates.isEmpty {
            // All wait for locks. They try again, and find that they can't have them.
            state.isStuck = true
            state.blocked = []
            candidates = state.waiting.sorted()
        }
        let current = state.current.flatMap { candidates.contains($0) ? $0 : nil }
        let chosen = choose(candidates, current, &state)
        state.choices.append(Choice(candidates: candidates, current: current, chosen: chosen))
        state.current = chosen
        state.waiting.remove(chosen)
        state.sleeping[chosen] = nil
        if chosen == asking { return true }
        turns[chosen].signal()
        return false
    }

    private func choose(_ candidates: [Int], _ current: Int?, _ state: inout State) -> Int {
        switch plan {
        case .given(let actors):
            let number = state.choices.count
            if number < actors.count, candidates.contains(actors[number]) { return actors[number] }
        case .random(_, let oneIn):
            if current == nil || state.random.next() % oneIn == 0 {
                return candidates[Int(state.random.next() % UInt64(candidates.count))]
            }
        }
        return current ?? candidates[0]
    }
}
