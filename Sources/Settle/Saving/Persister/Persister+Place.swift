/// How far the store's values have come in the storage's history. The storage may be ahead: what others have stored is
/// merged only when no writer is active.
extension Persister {
    /// The place that the store's values are not older than; `nil` if there is none yet. Read at any time.
    nonisolated var place: ChangeToken? { reached.withLock { $0 } }

    /// The store's own changes have been appended, or nothing has been stored yet.
    func appended(at token: ChangeToken?) {
        guard let token else { return }
        newestPlace = token
        settlePlace()
    }

    /// A change of others is about to be in force.
    func merged(_ change: ExternalChange) {
        guard let token = change.token else { return }
        // Something of the store's own may have been appended behind it meanwhile.
        if case .values = change.content, let newestPlace, newestPlace.history == token.history,
            newestPlace.position > token.position
        {
            return
        }
        newestPlace = token
    }

    /// Tells the newest place, unless something before it is not in force yet.
    func settlePlace() {
        guard undelivered.isEmpty, !mustFetch, let newestPlace else { return }
        reached.withLock { $0 = newestPlace }
    }
}
