import NIOCore
import Testing

@testable import LiveServing

struct ConnectionStateTests {
    private let timeouts = ConnectionTimeouts(receive: .seconds(10), idle: .seconds(60), send: .seconds(30))

    private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private func deadline(_ state: ConnectionStateMachine) -> String {
        guard let deadline = state.deadline(timeouts) else { return "none" }
        return "\(deadline.reason) at \((deadline.time - time(0)).nanoseconds / 1_000_000_000)"
    }

    @Test("A client that reads any amount is not stalled") func aClientThatReadsAnyAmountIsNotStalled() {
        var state = ConnectionStateMachine(now: time(0))
        state.requestBegan()
        state.requestArrived(at: time(0))
        #expect(deadline(state) == "none")
        state.sendingProgressed(sent: 100, isWaiting: true, at: time(1))
        state.sendingProgressed(sent: 100, isWaiting: true, at: time(20))
        #expect(deadline(state) == "stalled at 31")
        state.sendingProgressed(sent: 101, isWaiting: true, at: time(30))
        #expect(deadline(state) == "stalled at 60")
        state.sendingProgressed(sent: 200, isWaiting: false, at: time(40))
        #expect(deadline(state) == "none")
    }

    @Test("Only a whole request keeps a connection from giving way")
    func onlyAWholeRequestKeepsAConnectionFromGivingWay() {
        var state = ConnectionStateMachine(now: time(0))
        #expect(state.isDispensable)
        state.bytesArrived(at: time(1))
        state.requestBegan()
        #expect(state.isDispensable)
        state.requestArrived(at: time(2))
        #expect(!state.isDispensable)
        state.answerSent(at: time(3))
        #expect(state.isDispensable)
        #expect(deadline(state) == "idle at 63")
    }

    @Test("A request answered before its end is done at its end") func aRequestAnsweredBeforeItsEndIsDoneAtItsEnd() {
        var state = ConnectionStateMachine(now: time(0))
        state.requestBegan()
        state.answerSent(at: time(1))
        #expect(deadline(state) == "slowBody at 10")
        state.requestArrived(at: time(2))
        #expect(deadline(state) == "idle at 62")
    }

    @Test("An answer still being sent keeps the next request apart")
    func anAnswerStillBeingSentKeepsTheNextRequestApart() {
        var state = ConnectionStateMachine(now: time(0))
        for _ in 0..<2 {
            state.requestBegan()
            state.requestArrived(at: time(1))
        }
        state.answerSent(at: time(2))
        #expect(!state.isDispensable)
        state.answerSent(at: time(3))
        #expect(deadline(state) == "idle at 63")
    }

    @Test("Who has been left has a little time whatever else is going on")
    func whoHasBeenLeftHasALittleTimeWhateverElseIsGoingOn() {
        var state = ConnectionStateMachine(now: time(0))
        state.requestBegan()
        state.requestArrived(at: time(0))
        state.sendingProgressed(sent: 0, isWaiting: true, at: time(0))
        state.left(at: time(5))
        #expect(deadline(state) == "lingering at 7")
        #expect(state.isDispensable)
    }
}
