/// Handles batches that the storage refuses as a whole: too large for one record, or refused for a reason that checking
/// the single values did not show.
extension Persister {
    /// How many values to set aside before the refusal counts as a failure.
    static let refusalLimit = 16

    /// Removes a value from a batch that the storage has refused.
    ///
    /// - Returns: The error to report; `nil` if the value can't be removed.
    func setAside(
        _ key: SettingKey, for error: StorageError, upTo revision: UInt64, changedAt oldest: Double
    ) -> SettingsError? {
        guard let slot = log.lock.withLock({ log.stored.slots[key] }), let box = slot.box else { return nil }
        log.revert(slot, box, leaving: backlog.setAside(key), upTo: revision, changedAt: oldest)
        let issue = SettingsError.encodingFailed(key: key, isSecret: slot.isSecret, error)
        report(issue)
        return issue
    }
}

extension Sequence {
    /// The elements with the largest sizes, largest first. Evaluates each size once.
    func largest(_ count: Int, by size: (Element) -> Int) -> [Element] {
        var largest: [(element: Element, size: Int)] = []
        for element in self {
            let size = size(element)
            if largest.count == count {
                guard let smallest = largest.last, smallest.size < size else { continue }
                largest.removeLast()
            }
            let place = largest.firstIndex { $0.size < size } ?? largest.endIndex
            largest.insert((element, size), at: place)
        }
        return largest.map(\.element)
    }
}
