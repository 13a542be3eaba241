import Testing

@testable import Settle

@Suite struct RewriteScheduleTests {
    private func isDue(_ schedule: RewriteSchedule, _ reason: CheckpointReason, _ size: Int, _ growth: Int) -> Bool {
        schedule.isFileDue(for: reason, size: size, growth: growth)
    }

    private func isDue(
        _ schedule: inout RewriteSchedule, _ size: Int, _ beginning: Int, _ isAtRest: Bool
    ) -> Bool {
        schedule.isJournalDue(size, beginning, isAtRest)
    }

    @Test("A small file is written whenever changes have settled, but not while they go on") func smallFile() {
        let schedule = RewriteSchedule(journalLimit: 1_000)
        #expect(isDue(schedule, .settled, 4_096, 1))
        #expect(!isDue(schedule, .settled, 4_097, 1))
        #expect(!isDue(schedule, .changing, 4_096, 1))
    }

    @Test("While changes go on, the file is written once the journal has grown by four times its size") func growth() {
        var schedule = RewriteSchedule(journalLimit: 1_000)
        for reason in [CheckpointReason.settled, .changing] {
            #expect(!isDue(schedule, reason, 10_000, 39_999))
            #expect(isDue(schedule, reason, 10_000, 40_000))
        }
        // The growth of journals that have been given up since counts too.
        schedule.didBeginJournal(growth: 30_000)
        #expect(!isDue(schedule, .changing, 10_000, 9_999))
        #expect(isDue(schedule, .changing, 10_000, 10_000))
        schedule.didWriteFile()
        #expect(!isDue(schedule, .changing, 10_000, 10_000))
    }

    @Test(
        "Who waits for the file, or has all the time, gets it",
        arguments: [CheckpointReason.resting, .requested, .erasing, .closing])
    func certain(reason: CheckpointReason) {
        #expect(isDue(RewriteSchedule(journalLimit: 1_000), reason, 1_000_000, 0))
    }

    @Test("A journal is begun anew when it has grown by four times its beginning, or by once at rest")
    func journal() {
        var schedule = RewriteSchedule(journalLimit: 1_000)
        #expect(!isDue(&schedule, 1_500, 500, true))
        #expect(isDue(&schedule, 1_501, 500, true))
        schedule = RewriteSchedule(journalLimit: 1_000)
        #expect(!isDue(&schedule, 5_000, 1_000, false))
        #expect(isDue(&schedule, 5_001, 1_000, false))
        schedule = RewriteSchedule(journalLimit: 1_000)
        #expect(!isDue(&schedule, 3_000, 1_500, true))
        #expect(isDue(&schedule, 3_001, 1_500, true))
    }

    @Test("After a failure the old journal goes on until it is twice as long") func failure() {
        var schedule = RewriteSchedule(journalLimit: 1_000)
        #expect(isDue(&schedule, 6_000, 1_000, false))
        #expect(!isDue(&schedule, 12_000, 1_000, false))
        #expect(isDue(&schedule, 12_001, 1_000, false))
        schedule.didBeginJournal(growth: 0)
        #expect(isDue(&schedule, 6_000, 1_000, false))
    }
}
