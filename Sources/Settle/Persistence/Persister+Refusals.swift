/// Batches that a storage refuses as a whole: too much for one record, or for a reason that it did not tell of the single values.
extension Persister {
    /// How many values are taken out of such a batch before that is a failure.
    static let refusalLimit = 16

    /// The keys of the largest values that the storage has not taken, the largest first.
    var largestUnsaved: ArraySlice<SettingKey> {
        // Not before what was written within it later: that would not come after it any more.
        let outer = unsaved.keys.grouped { unsaved[$0] != nil }
        return unsaved.lazy.filter { outer[$0.key] == nil }.largest(Self.refusalLimit) { $0.value?.roughSize ?? 0 }
            .map(\.key)[...]
    }

    /// Takes a value out of what an append has refused as a whole.
    ///
    /// - Returns: What is wrong; `nil` if the value can't be taken out.
    func setAside(
        _ key: SettingKey, for error: StorageError, upTo revision: UInt64, changedAt oldest: Double
    ) -> SettingsError? {
        guard let slot = log.lock.withLock({ log.slots[key] }), let box = slot.box else { return nil }
        unsaved.removeValue(forKey: key)
        var left = SettingTree()
        left[key] = replaced.removeValue(forKey: key)
        for outer in key.parents { if let value = unsaved[outer] { left[outer] = value } }
        log.takeBack(slot, box, leaving: left[key], upTo: revision, changedAt: oldest)
        let issue = SettingsError.encodingFailed(key: key, isSecret: slot.isSecret, error)
        report(issue)
        return issue
    }
}

extension Sequence {
    /// The elements with the largest sizes, the largest first. The size of each is asked for once.
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
