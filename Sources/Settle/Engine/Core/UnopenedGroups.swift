/// The store of all groups that no store has opened. In memory only, for previews and tests.
///
/// Its settings are not in the index of its log: each lives as long as a copy of its group.
enum UnopenedGroups {
    /// Its log is shared by all these groups, so it is longer than a single store's.
    static let engine = Engine(
        log: MutationLog(logLimit: 16_384, logCostLimit: 4 << 20), time: TimeSource(ContinuousClock()))
    static let lock = Lock()

    /// Returns a setting's placement in the store, made if necessary.
    static func placement(of box: AnySettingBox) -> Placement {
        lock.withLock { attach(box, key: SettingKey(stored: box.declaration.key ?? "")) }
    }

    /// Puts a setting into the store. Requires `lock`.
    static func attach(_ box: AnySettingBox, key: SettingKey) -> Placement {
        if let placement = box.existingPlacement { return placement }
        let slot = SettingSlot(
            key: key, declaration: nil, schedule: nil, box: box, keepsBox: false, parent: engine.log.root)
        let placement = Placement(in: engine, slot: slot)
        box.attach(to: placement)
        return placement
    }

    /// Ends the streams of a setting whose group has lost its last copy, and, with the last setting of a group, those
    /// of the group.
    static func end(_ slot: SettingSlot) {
        let log = engine.log
        let wakeUps = log.lock.withLock {
            var ended: Topic? = slot
            while let topic = ended {
                log.changes.finish(topic)
                ended = nil
                guard let parent = topic.parent, parent !== log.root else { break }
                parent.memberCount -= 1
                if parent.memberCount == 0 { ended = parent }
            }
            return log.changes.waking.wakeUps()
        }
        wakeUps.resumeTasks(of: log)
    }
}
