import Settle
import SettleTesting

/// Closing and releasing stores.
extension StoreHistory {
    func close(_ member: StoreHistoryMember, isKept: Bool = false) async {
        guard !member.isWriting, !member.isClosing, let store = member.store else { return }
        member.isClosing = true
        member.hasClosed.raise()
        let (ledger, number, lost) = (ledger, member.number, member.lost)
        await run(member, "closes", isKept: isKept) {
            try await store.close()
            lost.note(of: store, by: number, until: .max, in: ledger)
            ledger.acknowledge(number)
        }
        if !member.hasTasks { await removeClosed() }
    }

    func removeClosed() async {
        for member in members where member.isClosing && !member.hasTasks {
            if member.recording.calls.last?.operation == .close {
                members.removeAll { $0 === member }
                lookFromOutside()
            } else {
                note("\(member.name) could not be closed")
                member.isClosing = false
            }
        }
    }

    func letGo(_ member: StoreHistoryMember) async throws {
        guard !member.isWriting, !member.hasTasks, !isFileLocked, member.hold == nil else { return }
        member.heal()
        note("\(member.name) is let go of")
        members.removeAll { $0 === member }
        member.letGo()
        // Real time bounds the wait: on a busy machine thousands of turns may pass before the store's thread gets one.
        let end = ContinuousClock.now + .seconds(120)
        while member.recording.calls.last?.operation != .close, .now < end {
            clock.advance(by: .milliseconds(50))
            await Task.yield()
        }
        guard member.recording.calls.last?.operation == .close else {
            throw Violation(description: "\(member.name) is never closed")
        }
        // Whatever it gave up while it ended has not been reported.
        if member.hasFailed { ledger.giveUp(member.number, until: .max) }
        ledger.acknowledge(member.number)
        lookFromOutside()
    }
}
