import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct AlarmsTests {
    private typealias Machine = AlarmStateMachine<String>

    @Test("One sleeper is enough for what comes later") func oneSleeperEnough() {
        var machine = Machine()
        #expect(machine.add("a", at: .seconds(5)).mustSleep)
        #expect(!machine.add("b", at: .seconds(5)).mustSleep)
        #expect(!machine.add("c", at: .seconds(6)).mustSleep)
        let first = machine.wake(at: .seconds(5), now: .seconds(5))
        #expect(first.due == ["a", "b"] && first.next == .seconds(6))
        let second = machine.wake(at: .seconds(6), now: .seconds(7))
        #expect(second.due == ["c"] && second.next == nil)
        #expect(machine.add("d", at: .seconds(9)).mustSleep)
    }

    @Test("What is taken back never rings, and is slept for no longer") func takenBackNever() {
        var machine = Machine()
        for second in 1...1_000 {
            let (number, mustSleep) = machine.add("", at: .seconds(second))
            #expect(mustSleep == (second == 1))
            machine.remove(number)
        }
        let (due, next) = machine.wake(at: .seconds(1), now: .seconds(1))
        #expect(due.isEmpty && next == nil)
    }

    @Test("An earlier one overtakes the sleeper, which ends") func earlierOneOvertakes() {
        var machine = Machine()
        #expect(machine.add("late", at: .seconds(9)).mustSleep)
        #expect(machine.add("early", at: .seconds(2)).mustSleep)
        let early = machine.wake(at: .seconds(2), now: .seconds(2))
        #expect(early.due == ["early"] && early.next == .seconds(9))
        // Two sleep until the same time now. One of them goes on.
        #expect(!machine.add("later", at: .seconds(12)).mustSleep)
        let late = machine.wake(at: .seconds(9), now: .seconds(9))
        #expect(late.due == ["late"] && late.next == .seconds(12))
        let overtaken = machine.wake(at: .seconds(9), now: .seconds(9))
        #expect(overtaken.due.isEmpty && overtaken.next == nil)
        #expect(machine.wake(at: .seconds(12), now: .seconds(12)).due == ["later"])
    }

    @Test("What is late rings in the order of its times") func lateRingsOrder() {
        var machine = Machine()
        _ = machine.add("third", at: .seconds(4))
        _ = machine.add("first", at: .seconds(2))
        _ = machine.add("second", at: .seconds(3))
        _ = machine.add("not yet", at: .seconds(8))
        let (due, next) = machine.wake(at: .seconds(2), now: .seconds(5))
        #expect(due == ["first", "second", "third"] && next == .seconds(8))
    }
}
