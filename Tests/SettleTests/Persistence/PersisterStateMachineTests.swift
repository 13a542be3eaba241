import Testing

@testable import Settle

@Suite struct PersisterStateMachineTests {
    private typealias Machine = PersisterStateMachine

    private enum Event {
        case changed([Machine.Waiting], at: Double)
        case timer([Machine.Waiting], at: Double)
        case saved([Machine.Waiting], at: Double)
        case failed(at: Double)
        case close
    }

    private struct Step {
        let event: Event
        let action: Machine.Action
        let state: Machine.State

        init(_ event: Event, _ action: Machine.Action, _ state: Machine.State) {
            self.event = event
            self.action = action
            self.state = state
        }
    }

    /// A class of settings with a quiet period of 1 s and a longest delay of 5 s.
    private static func waiting(first: Double, last: Double) -> Machine.Waiting {
        Machine.Waiting(
            quiet: .seconds(1), longest: .seconds(5), sinceFirst: .seconds(first), sinceLast: .seconds(last))
    }

    private static let immediate = Machine.Waiting(quiet: .zero, longest: .zero, sinceFirst: .zero, sinceLast: .zero)

    private func run(_ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5))
        for (number, step) in steps.enumerated() {
            let action =
                switch step.event {
                case .changed(let waiting, let time): machine.changed(waiting, now: .seconds(time))
                case .timer(let waiting, let time): machine.timerFired(waiting, now: .seconds(time))
                case .saved(let waiting, let time): machine.saved(waiting, now: .seconds(time))
                case .failed(let time): machine.failed(now: .seconds(time))
                case .close: machine.close()
                }
            #expect(action == step.action, "step \(number)", sourceLocation: sourceLocation)
            #expect(machine.state == step.state, "step \(number)", sourceLocation: sourceLocation)
        }
    }

    @Test("A first change waits for the quiet period, then everything is saved")
    func quiet() {
        run([
            Step(
                .changed([Self.waiting(first: 0, last: 0)], at: 10), .setTimer(.seconds(11)),
                .waiting(due: .seconds(11))),
            Step(.timer([Self.waiting(first: 1, last: 1)], at: 11), .save, .waiting(due: .seconds(11))),
            Step(.saved([], at: 11), .cancelTimer, .idle),
            Step(.timer([], at: 12), .none, .idle),
        ])
    }

    @Test("Further changes put the save off, but not beyond the longest delay")
    func longest() {
        run([
            Step(
                .changed([Self.waiting(first: 0, last: 0)], at: 0), .setTimer(.seconds(1)), .waiting(due: .seconds(1))),
            Step(
                .timer([Self.waiting(first: 1, last: 0.5)], at: 1), .setTimer(.seconds(1.5)),
                .waiting(due: .seconds(1.5))),
            Step(
                .timer([Self.waiting(first: 4.75, last: 0.25)], at: 4.75), .setTimer(.seconds(5)),
                .waiting(due: .seconds(5))),
            Step(.timer([Self.waiting(first: 5, last: 0)], at: 5), .save, .waiting(due: .seconds(5))),
        ])
    }

    @Test("An unchanged time asks for no new timer")
    func sameTime() {
        run([
            Step(
                .changed([Self.waiting(first: 0, last: 0)], at: 0), .setTimer(.seconds(1)), .waiting(due: .seconds(1))),
            Step(.changed([Self.waiting(first: 0.5, last: 0.5)], at: 0.5), .none, .waiting(due: .seconds(1))),
        ])
    }

    @Test("Of several classes the most urgent one decides")
    func classes() {
        run([
            Step(
                .changed([Self.waiting(first: 0, last: 0)], at: 0), .setTimer(.seconds(1)), .waiting(due: .seconds(1))),
            Step(
                .changed([Self.waiting(first: 0.5, last: 0.5), Self.immediate], at: 0.5), .save,
                .waiting(due: .seconds(0.5))),
        ])
    }

    @Test("What came during a save is scheduled after it")
    func duringSave() {
        run([
            Step(.changed([Self.immediate], at: 0), .save, .waiting(due: .zero)),
            Step(
                .saved([Self.waiting(first: 0.25, last: 0.25)], at: 0.5), .setTimer(.seconds(1.25)),
                .waiting(due: .seconds(1.25))),
        ])
    }

    @Test("Each failure doubles the wait, up to the longest; changes don't shorten it; a success ends it")
    func backOff() {
        run([
            Step(.changed([Self.immediate], at: 0), .save, .waiting(due: .zero)),
            Step(.failed(at: 0), .setTimer(.seconds(1)), .failing(attempts: 1, due: .seconds(1))),
            Step(.changed([Self.immediate], at: 0.5), .none, .failing(attempts: 1, due: .seconds(1))),
            Step(.timer([Self.immediate], at: 0.5), .setTimer(.seconds(1)), .failing(attempts: 1, due: .seconds(1))),
            Step(.timer([Self.immediate], at: 1), .save, .failing(attempts: 1, due: .seconds(1))),
            Step(.failed(at: 1), .setTimer(.seconds(3)), .failing(attempts: 2, due: .seconds(3))),
            Step(.failed(at: 3), .setTimer(.seconds(7)), .failing(attempts: 3, due: .seconds(7))),
            Step(.failed(at: 7), .setTimer(.seconds(12)), .failing(attempts: 4, due: .seconds(12))),
            Step(.failed(at: 12), .setTimer(.seconds(17)), .failing(attempts: 5, due: .seconds(17))),
            Step(.saved([], at: 17), .cancelTimer, .idle),
            Step(.failed(at: 20), .setTimer(.seconds(21)), .failing(attempts: 1, due: .seconds(21))),
        ])
    }

    @Test("However many saves fail, the wait stays at the longest")
    func manyFailures() {
        var machine = Machine(retryDelay: .seconds(1) ... .seconds(5))
        for _ in 0..<100 { _ = machine.failed(now: .zero) }
        #expect(machine.state == .failing(attempts: 100, due: .seconds(5)))
    }

    @Test("Nothing happens after the end")
    func closed() {
        run([
            Step(
                .changed([Self.waiting(first: 0, last: 0)], at: 0), .setTimer(.seconds(1)), .waiting(due: .seconds(1))),
            Step(.close, .cancelTimer, .closed),
            Step(.changed([Self.immediate], at: 1), .none, .closed),
            Step(.timer([Self.immediate], at: 1), .none, .closed),
            Step(.saved([Self.immediate], at: 1), .none, .closed),
            Step(.failed(at: 1), .none, .closed),
        ])
    }
}
