/// Reverts an unconfirmed commit when its time is over; see ``UnconfirmedCommit``.
extension Persister {
    /// Returns when the time of the unconfirmed commit is over; `nil` if there is none.
    func unconfirmedDue(now: Duration) -> Duration? {
        guard takesBack, let commit = log.lock.withLock({ log.unconfirmed.current }) else { return nil }
        return now + commit.remaining(at: time.moment())
    }

    /// Reverts the commit in a task of its own, because that is a commit, which waits for this queue. Its transaction
    /// decides whether something is left to revert, when others are excluded.
    func takeBackUnconfirmed() {
        guard let store else { return }
        machine.reversionBegan()
        Task.detached { [weak self] in
            var failure: (any Error)?
            do { try await store.revertIfDue() } catch { failure = error }
            self?.enqueue { [failure] in await $0.reversionEnded(failure) }
        }
    }

    private func reversionEnded(_ failure: (any Error)?) async {
        let isFirst = machine.reversionEnded(hasFailed: failure != nil, now: time.elapsed())
        if isFirst, let failure, !isClosed { report(.unconfirmedStands(failure)) }
        await doWhatIsDue()
    }
}
