@testable import Settle

/// What tests look at in a store beyond its interface.
extension SettingsStore {
    /// Whether a subscriber of the top level is parked.
    var hasParkedSubscriber: Bool { log.lock.withLock { log.root.waiters?.isEmpty == false } }

    /// How many tasks wait for a lock, under any name.
    var lockWaitCount: Int {
        get async { await core.persister.locks.waitCount }
    }

    /// Looks for what others have stored, and publishes it unless a writer is active.
    func fetchOutside() async {
        core.persister.fetchAndDeliver()
        await core.persister.perform { _ in }
    }

    /// Whether a task of this store holds a lock.
    func holdsLock(named name: String) async -> Bool {
        core.persister.locks.leases[name] != nil
    }
}

extension StoreCore {
    /// The number of settings in the index, declared or written by key.
    var indexedSettingCount: Int { log.lock.withLock { log.stored.slots.all.count } }
}
