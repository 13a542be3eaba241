/// How groups that no store has opened find a store in memory.
///
/// A property wrapper does not know the struct around it. So a box that is used by itself first gets a store of its own,
/// and these stores share one writer's lock, because two threads may write two settings of one group in opposite orders.
/// The first use of the group as a whole (`update`, `changes`, `snapshot`, `reset`) moves all its boxes into one store
/// with its own lock. The only state here is the two locks.
enum Detachment {
    /// Orders attaching and moving of boxes.
    static let lock = Lock()
    private static let sharedWriter = RecursiveLock()

    /// Gives a box a store of its own, unless somebody else has just done so.
    static func attach(_ box: AnySettingBox) -> Attachment {
        lock.withLock {
            if let attachment = box.attachment { return attachment }
            let store = StoreCore(detachedWith: sharedWriter)
            let slot = SettingSlot(
                key: SettingKey(stored: box.declaredKey ?? ""), declaration: nil, schedule: nil, box: box,
                parent: store.log.root)
            store.log.add(slot)
            let attachment = Attachment(store: store, slot: slot)
            box.attach(to: attachment)
            return attachment
        }
    }

    /// The one store of a group's boxes, into which they are moved if they are not there yet.
    static func unite(_ layout: GroupLayout) -> StoreCore? {
        while true {
            switch tryToUnite(layout) {
            case .united(let store): return store
            case .blocked(let writer):
                // Somebody writes. Waiting with the lock could be waiting for each other, so the wait is without it.
                writer.lock()
                writer.unlock()
            }
        }
    }

    private enum Attempt {
        case united(StoreCore?)
        case blocked(RecursiveLock)
    }

    private static func tryToUnite(_ layout: GroupLayout) -> Attempt {
        lock.lock()
        defer { lock.unlock() }
        let boxes = layout.settings.map(\.box)
        guard !boxes.isEmpty else { return .united(nil) }
        let stores = boxes.map { $0.attachment?.store }
        if let first = stores[0], stores.allSatisfy({ $0 === first }), !first.sharesWriter || boxes.count == 1 {
            return .united(first)
        }
        var held: [RecursiveLock] = []
        defer { for lock in held { lock.unlock() } }
        var target: StoreCore?
        var mustShare = false
        for store in stores {
            guard let store, !held.contains(where: { $0 === store.writer }) else { continue }
            if store.writer.isHeldByCurrentThread {
                // A write of this thread is under way: its lock has to stay the lock of the settings it writes.
                if store.sharesWriter { mustShare = true } else { target = target ?? store }
            }
            guard store.writer.tryLock() else { return .blocked(store.writer) }
            held.append(store.writer)
        }
        let destination = target ?? StoreCore(detachedWith: mustShare ? sharedWriter : nil)
        layout.move(to: destination)
        return .united(destination)
    }
}

extension GroupLayout {
    /// Moves the boxes into a store. Under `Detachment.lock` and the writer's locks of all stores concerned.
    fileprivate func move(to store: StoreCore) {
        let log = store.log
        var channels: [SettingKey: Channel] = [:]
        for setting in settings {
            let parent = channel(for: setting.group, in: log, known: &channels)
            let old = setting.box.attachment
            if let old, old.store === store { continue }
            let slot = SettingSlot(
                key: setting.key, declaration: nil, schedule: nil, box: setting.box, parent: parent)
            log.lock.withLock { log.add(slot) }
            setting.box.attach(to: Attachment(store: store, slot: slot))
            guard let old else { continue }
            let oldLog = old.store.log
            let slotSuccessor = Successor(slot, in: log)
            let groupSuccessors = Self.successors(ofGroupsAround: old.slot, at: parent, in: log)
            let signals = oldLog.lock.withLock {
                slot.isStored = old.slot.isStored
                slot.origin = old.slot.origin
                oldLog.forward(old.slot, to: slotSuccessor)
                for (group, successor) in groupSuccessors { oldLog.forward(group, to: successor) }
                return oldLog.signals()
            }
            StoreCore.act(on: signals, log: oldLog)
        }
    }

    /// Where the changes of the groups around a moved setting are now, from the innermost outwards.
    private static func successors(
        ofGroupsAround slot: SettingSlot, at parent: Channel, in log: MutationLog
    ) -> [(Channel, Successor)] {
        var result: [(Channel, Successor)] = []
        var (old, new) = (slot.parent, Channel?.some(parent))
        while let from = old, let to = new {
            result.append((from, Successor(to, in: log)))
            (old, new) = (from.parent, to.parent)
        }
        return result
    }

    private func channel(for path: SettingKey?, in log: MutationLog, known: inout [SettingKey: Channel]) -> Channel {
        guard let path else { return log.root }
        if let channel = known[path] { return channel }
        let channel = Channel(parent: channel(for: path.parent, in: log, known: &known))
        log.lock.withLock { log.channels[path] = channel }
        known[path] = channel
        return channel
    }
}
