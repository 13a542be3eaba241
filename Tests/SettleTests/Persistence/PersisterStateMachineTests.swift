import Testing

@testable import Settle

@Suite struct PersisterStateMachineTests {
    private typealias Machine = PersisterStateMachine

    private enum Event {
        case look([Machine.Waiting] = [], hasNew: Bool = false, gives: Machine.Action)
        case appended
        case synced([Machine.Waiting])
        case checkpointed(CheckpointReason, isAtRest: Bool)
        case failed
        case checkpointFailed([Machine.Waiting])
        case close
    }

    /// A save policy with a quiet period of 1 s and a longest delay of 5 s, the store's default here.
    private static func waiting(first: Double, last: Double) -> Machine.Waiting {
        Machine.Waiting(
            quiet: .seconds(1), longest: .seconds(5), sinceFirst: Self.seconds(first), sinceLast: Self.seconds(last))
    }

    private static func waiting(quiet: Double, first: Double, last: Double) -> Machine.Waiting {
        Machine.Waiting(
            quiet: Self.seconds(quiet), longest: Self.seconds(5 * quiet), sinceFirst: Self.seconds(first),
            sinceLast: Self.seconds(last))
    }

    /// Exact, because sums of durations are compared with it.
    private static func seconds(_ seconds: Double) -> Duration { .microseconds(Int64((seconds * 1e6).rounded())) }

    private static let immediate = Machine.Waiting(quiet: .zero, longest: .zero, sinceFirst: .zero, sinceLast: .zero)

    private static func wait(_ due: Double) -> Machine.Action { .wait(until: Self.seconds(due)) }

    private func run(
        _ steps: [(at: Double, event: Event)],
        savePolicy: SavePolicy = .debounced(quiet: .seconds(1), atMost: .seconds(5)),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5), savePolicy: savePolicy)
        for (number, step) in steps.enumerated() {
            let now = Self.seconds(step.at)
            switch step.event {
            case .look(let waiting, let hasNew, let action):
                let found = machine.next(WaitingChanges(waiting: waiting, hasNew: hasNew), now: now)
                #expect(found == action, "step \(number)", sourceLocation: sourceLocation)
            case .appended: machine.appended(now: now)
            case .synced(let waiting): machine.synced(waiting, now: now)
            case .checkpointed(let moment, let isAtRest):
                machine.checkpointed(moment, isAtRest: isAtRest, now: now)
            case .failed: machine.failed(now: now)
            case .checkpointFailed(let waiting):
                machine.checkpointFailed(.settled, leaves: waiting, now: now)
            case .close: machine.close()
            }
        }
    }

    @Test("The first change is appended at once and made stable by the checkpoint after the quiet period")
    func quiet() {
        run([
            (10, .look([Self.waiting(first: 0, last: 0)], hasNew: true, gives: .append(.buffered))),
            (10, .appended),
            (10, .look([Self.waiting(first: 0, last: 0)], gives: Self.wait(11))),
            (11, .look([Self.waiting(first: 1, last: 1)], gives: .checkpoint(.settled))),
            (11, .synced([Self.waiting(first: 1, last: 1)])),
            (11, .checkpointed(.settled, isAtRest: true)),
            (11, .look(gives: .wait(until: nil))),
        ])
    }

    @Test("In a burst, appends keep a pace of 2 ms")
    func pace() {
        run([
            (1, .look([Self.waiting(first: 0, last: 0)], hasNew: true, gives: .append(.buffered))),
            (1, .appended),
            (1.001, .look([Self.waiting(first: 0.001, last: 0)], hasNew: true, gives: Self.wait(1.002))),
            (1.002, .look([Self.waiting(first: 0.002, last: 0)], hasNew: true, gives: .append(.buffered))),
        ])
    }

    @Test("Further changes delay the checkpoint, but not beyond the longest delay")
    func longest() {
        run([
            (1, .look([Self.waiting(first: 1, last: 0.5)], gives: Self.wait(1.5))),
            (4.75, .look([Self.waiting(first: 4.75, last: 0.25)], gives: Self.wait(5))),
            (5, .look([Self.waiting(first: 5, last: 0)], hasNew: true, gives: .checkpoint(.changing))),
        ])
    }

    @Test(
        "An immediate change is synced at once, despite the pace, and checkpointed once changes settle")
    func immediate() {
        run([
            (0, .appended),
            (0.001, .look([Self.immediate], hasNew: true, gives: .append(.synced))),
            (0.001, .appended),
            (0.001, .synced([Self.immediate])),
            (0.001, .look(gives: Self.wait(1.001))),
            (0.5, .look([Self.immediate], hasNew: true, gives: .append(.synced))),
            (0.5, .synced([Self.immediate])),
            (0.5, .look(gives: Self.wait(1.5))),
            (1.5, .look(gives: .checkpoint(.settled))),
            (1.5, .checkpointed(.settled, isAtRest: true)),
            (1.5, .look(gives: .wait(until: nil))),
        ])
    }

    @Test("A shorter save policy than the store's is synced first; a longer one keeps its own time")
    func classes() {
        run([
            (0.5, .look([Self.waiting(quiet: 0.5, first: 0.5, last: 0.5)], gives: .append(.synced))),
            (0.5, .synced([Self.waiting(quiet: 0.5, first: 0.5, last: 0.5)])),
            (0.5, .look(gives: Self.wait(1))),
            (1, .look(gives: .checkpoint(.settled))),
            (1, .checkpointed(.settled, isAtRest: true)),
            (2, .look([Self.waiting(quiet: 10, first: 1, last: 1)], gives: Self.wait(11))),
            (
                2,
                .look(
                    [Self.waiting(quiet: 10, first: 1, last: 1), Self.waiting(first: 0, last: 0)], gives: Self.wait(3))
            ),
            (11, .look([Self.waiting(quiet: 10, first: 10, last: 10)], gives: .checkpoint(.settled))),
        ])
    }

    @Test("A store that is not debounced settles after 250 ms, at most 2 s")
    func defaultSettling() {
        run(
            [
                (0, .synced([Self.immediate])), (0, .look(gives: Self.wait(0.25))),
                (0.2, .synced([Self.immediate])), (0.2, .look(gives: Self.wait(0.45))),
                (1.9, .synced([Self.immediate])), (1.9, .look(gives: Self.wait(2))),
            ], savePolicy: .immediate)
    }

    @Test("A storage that is not at rest gets one more checkpoint after 10 s without a change")
    func resting() {
        run([
            (1, .checkpointed(.settled, isAtRest: false)),
            (1, .look(gives: Self.wait(11))),
            (5, .look([Self.waiting(first: 0, last: 0)], gives: Self.wait(6))),
            (6, .look([Self.waiting(first: 1, last: 1)], gives: .checkpoint(.settled))),
            (6, .checkpointed(.settled, isAtRest: false)),
            (11, .look(gives: Self.wait(16))),
            (16, .look(gives: .checkpoint(.resting))),
            (16, .checkpointed(.resting, isAtRest: false)),
            (16, .look(gives: .wait(until: nil))),
        ])
    }

    @Test("Each failure doubles the wait up to its maximum; changes do not shorten it, and a success ends it")
    func backOff() {
        var steps: [(at: Double, event: Event)] = []
        var now = 0.0
        for wait in [1.0, 2, 4, 5, 5] {
            steps.append((now, .failed))
            steps.append((now, .look([Self.immediate], hasNew: true, gives: Self.wait(now + wait))))
            steps.append((now + wait, .look([Self.immediate], hasNew: true, gives: .append(.synced))))
            now += wait
        }
        steps += [
            (now, .synced([])), (now, .look(gives: .wait(until: nil))),
            (20, .failed), (20, .look(gives: Self.wait(21))),
        ]
        run(steps)
    }

    @Test("The wait stays at its maximum however many saves fail")
    func manyFailures() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5))
        for _ in 0..<100 { machine.failed(now: .zero) }
        #expect(machine.next(.init(), now: .zero) == .wait(until: .seconds(5)))
    }

    @Test("After a failed checkpoint an append makes the values stable, and the checkpoint backs off on its own")
    func failedCheckpoint() {
        let waiting = [Self.waiting(first: 1, last: 1)]
        run([
            (1, .checkpointFailed(waiting)),
            (1, .look(waiting, gives: Self.wait(2))),
            (2, .look(waiting, gives: .append(.synced))),
            (2, .synced(waiting)),
            (2, .look(gives: .checkpoint(.settled))),
            (2, .checkpointFailed([])),
            (2, .look(gives: Self.wait(4))),
            (4, .look(gives: .checkpoint(.settled))),
            (4, .checkpointFailed([])),
            (4, .look(gives: Self.wait(8))),
            (8, .checkpointed(.settled, isAtRest: true)),
            (8, .look(gives: .wait(until: nil))),
        ])
    }

    @Test("A failed look at external changes is repeated with back-off, even while saves fail")
    func failedLooks() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5))
        machine.fetchFailed(now: .zero)
        #expect(machine.next(.init(), now: .zero) == .wait(until: .seconds(1)))
        #expect(machine.next(.init(), now: .seconds(1)) == .fetch)
        machine.fetchFailed(now: .seconds(1))
        #expect(machine.next(.init(), now: .seconds(1)) == .wait(until: .seconds(3)))
        for _ in 0..<2 { machine.failed(now: .seconds(2)) }
        #expect(machine.next(.init(), now: .seconds(2)) == .wait(until: .seconds(3)))
        #expect(machine.next(.init(), now: .seconds(3)) == .fetch)
        machine.fetched(now: .seconds(3))
        #expect(machine.next(.init(), now: .seconds(3)) == .append(.synced), "it is back, so saves are tried at once")
        machine.synced([], now: .seconds(3))
        machine.fetchFailed(now: .seconds(10))
        #expect(machine.next(.init(), now: .seconds(10)) == .wait(until: .seconds(11)), "the back-off begins anew")
    }

    @Test("Reading the history is repeated with back-off, however many followers ask and whatever else works")
    func failedHistory() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5))
        let triesEarly = machine.historyRetried()
        for _ in 0..<3 { machine.historyFailed(now: .zero) }
        machine.fetched(now: .zero)
        #expect(machine.next(.init(), now: .zero) == .wait(until: .seconds(1)))
        #expect(machine.next(.init(), now: .seconds(1)) == .readHistory)
        let tries = [triesEarly, machine.historyRetried(), machine.historyRetried()]
        #expect(tries == [false, true, false])
        #expect(machine.next(.init(), now: .seconds(1)) == .wait(until: nil))
        machine.historyFailed(now: .seconds(1))
        #expect(machine.next(.init(), now: .seconds(1)) == .wait(until: .seconds(3)))
        // The storage has answered to something else.
        _ = machine.historyRetried()
        machine.historyFailed(now: .seconds(2))
        #expect(machine.next(.init(), now: .seconds(2)) == .wait(until: .seconds(6)))
        machine.historyRead()
        #expect(machine.next(.init(), now: .seconds(2)) == .wait(until: nil))
        machine.historyFailed(now: .seconds(10))
        #expect(machine.next(.init(), now: .seconds(10)) == .wait(until: .seconds(11)), "the back-off begins anew")
    }

    @Test("While saves fail, a storage that preserves what waits is given it, in a burst each 2 ms")
    func preserving() {
        let new = WaitingChanges(waiting: [], hasNew: true)
        var other = Machine(retryDelay: .seconds(1) ... .seconds(5))
        other.failed(now: .zero)
        #expect(other.next(new, now: .zero) == .wait(until: .seconds(1)))
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5), preservesWaiting: true)
        #expect(machine.next(new, now: .zero) == .append(.buffered))
        machine.failed(now: .zero)
        #expect(machine.next(.init(), now: .zero) == .wait(until: .seconds(1)))
        #expect(machine.next(new, now: .zero) == .preserve)
        machine.preserved(now: .zero)
        #expect(machine.next(new, now: .zero) == .wait(until: .milliseconds(2)))
        #expect(machine.next(new, now: .milliseconds(2)) == .preserve)
        #expect(machine.next(new, now: .seconds(1)) == .append(.synced))
    }

    @Test("A signal from the storage shortens the wait after failed saves, but not to zero")
    func spoken() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(60))
        machine.storageSignalled(now: .zero)
        #expect(machine.next(.init(), now: .zero) == .wait(until: nil))
        for _ in 0..<7 { machine.failed(now: .zero) }
        #expect(machine.next(.init(), now: .zero) == .wait(until: .seconds(60)))
        machine.storageSignalled(now: .seconds(10))
        #expect(machine.next(.init(), now: .seconds(10)) == .wait(until: .seconds(11)))
        machine.storageSignalled(now: .milliseconds(10_500))
        #expect(machine.next(.init(), now: .seconds(11)) == .append(.synced))
    }

    @Test("A signal from the storage shortens the wait after failed checkpoints, but not to zero")
    func spokenAfterCheckpoint() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(60))
        for _ in 0..<7 { machine.checkpointFailed(.settled, leaves: [], now: .zero) }
        #expect(machine.next(.init(), now: .seconds(10)) == .wait(until: .seconds(60)))
        machine.storageSignalled(now: .seconds(10))
        #expect(machine.next(.init(), now: .seconds(10)) == .wait(until: .seconds(11)))
        #expect(machine.next(.init(), now: .seconds(11)) == .checkpoint(.settled))
    }

    @Test("A storage that was not at rest gets a checkpoint once it signals and has settled")
    func spokenWithoutRest() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(8))
        machine.checkpointed(.settled, isAtRest: false, now: .zero)
        machine.checkpointed(.resting, isAtRest: false, now: .seconds(10))
        #expect(machine.next(.init(), now: .seconds(100)) == .wait(until: nil))
        machine.storageSignalled(now: .seconds(100))
        #expect(machine.next(.init(), now: .seconds(100)) == .wait(until: .milliseconds(100_250)))
        #expect(machine.next(.init(), now: .milliseconds(100_250)) == .checkpoint(.settled))
        machine.checkpointed(.settled, isAtRest: true, now: .milliseconds(100_250))
        machine.storageSignalled(now: .seconds(101))
        #expect(machine.next(.init(), now: .seconds(200)) == .wait(until: nil))
    }

    @Test("Endless delays are clamped, and negative ones become the shortest possible")
    func endless() {
        let endless = Duration.seconds(Int64.max)
        var machine = Machine(retryDelay: endless...endless, savePolicy: .debounced(quiet: endless, atMost: endless))
        for _ in 0..<100 { machine.failed(now: .seconds(1)) }
        #expect(machine.next(.init(), now: .seconds(1)) == .wait(until: .seconds(1) + .endless))
        machine = Machine(
            retryDelay: .seconds(-5) ... .seconds(-1), savePolicy: .debounced(quiet: .seconds(Int64.min), atMost: .zero)
        )
        for _ in 0..<100 { machine.failed(now: .seconds(1)) }
        #expect(machine.next(.init(), now: .seconds(1)) == .wait(until: .milliseconds(1_001)))
    }

    @Test("Nothing happens after closing")
    func closed() {
        run([
            (0, .close),
            (1, .look([Self.immediate], hasNew: true, gives: .wait(until: nil))),
            (1, .failed),
            (1, .checkpointFailed([Self.immediate])),
            (1, .synced([Self.immediate])),
            (9, .look([Self.immediate], hasNew: true, gives: .wait(until: nil))),
        ])
    }

    @Test("A storage that was not at rest gets a checkpoint once an external change has settled")
    func changedOutside() {
        var machine = PersisterStateMachine(retryDelay: .seconds(1) ... .seconds(8))
        machine.changedOutside(isAtRest: true, now: .seconds(1))
        #expect(machine.next(.init(), now: .seconds(100)) == .wait(until: nil))
        machine.changedOutside(isAtRest: false, now: .seconds(50))
        #expect(
            machine.next(.init(), now: .seconds(50)) == .wait(until: .seconds(60)), "if the other one does not do it")
        #expect(machine.next(.init(), now: .seconds(60)) == .checkpoint(.resting))
        machine.checkpointed(.settled, isAtRest: false, now: .seconds(100))
        machine.checkpointed(.resting, isAtRest: false, now: .seconds(110))
        #expect(machine.next(.init(), now: .seconds(200)) == .wait(until: nil))
        machine.changedOutside(isAtRest: true, now: .seconds(200))
        #expect(machine.next(.init(), now: .seconds(200)) == .wait(until: .milliseconds(200_250)))
        #expect(machine.next(.init(), now: .milliseconds(200_250)) == .checkpoint(.settled))
        machine.checkpointed(.settled, isAtRest: true, now: .milliseconds(200_250))
        #expect(machine.next(.init(), now: .seconds(300)) == .wait(until: nil))
    }

    @Test("A store opened on unsettled contents writes a checkpoint a moment later")
    func leftUnsettled() {
        var machine = PersisterStateMachine(retryDelay: .seconds(1) ... .seconds(8))
        machine.openedUnsettled(now: .zero)
        #expect(machine.next(.init(), now: .zero) == .wait(until: .milliseconds(250)))
        #expect(machine.next(.init(), now: .milliseconds(250)) == .checkpoint(.settled))
    }
}
