extension SettingsStore {
    /// Opens a store on a storage.
    ///
    /// - Throws: ``SettingsError`` if what is stored can't be read. Nothing is written over it then.
    public static func open(
        storage: any Storage, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        try make(storage: storage, configuration: configuration)
    }

    static func make(storage: any Storage, configuration: Configuration) throws -> SettingsStore {
        let contents: StorageContents
        do {
            contents = try storage.load()
        } catch {
            throw SettingsError.storage(error)
        }
        let store = SettingsStore(configuration: configuration, storage: storage, contents: contents)
        store.followStorage(storage)
        return store
    }

    /// Takes in what changes in the storage from outside, for as long as the store lives.
    private func followStorage(_ storage: any Storage) {
        storage.watch { [weak self] in
            guard let self else { return }
            let changes = try? storage.externalChanges(since: { self.log.lock.withLock { self.log.tree } })
            for change in changes ?? [] {
                guard case .everything(let tree) = change.content else { continue }
                self.reload(StorageContents(tree: tree, outcome: .intact))
            }
        }
    }

    /// Publishes what differs in the storage from what was stored, as one transaction. Keys with changes of their own that are
    /// not saved yet keep these. A value that can't be used leaves the last good one in force.
    func reload(_ contents: StorageContents) {
        do {
            try transact(origin: .external, writer: nil) {
                let (stale, boxes) = log.lock.withLock {
                    let boxes = log.slots.values.compactMap { slot -> (AnySettingBox, String, SettingValue?)? in
                        guard slot.schedule != nil, !log.isUnsaved(slot), let box = slot.box else { return nil }
                        let new = contents.tree[slot.key]
                        return new == log.tree[slot.key] ? nil : (box, slot.key, new)
                    }
                    return (log.slots.values.filter(log.isUnsaved).map(\.key), boxes)
                }
                for (box, key, value) in boxes {
                    guard let value else {
                        box.stageDefault()
                        continue
                    }
                    do {
                        try box.stage(decoding: value)
                    } catch {
                        let issue = SettingsError.unusableValue(key: key, stored: value, error)
                        writer.afterUnlock { [issueBoard] in issueBoard.report(issue) }
                    }
                }
                log.lock.withLock {
                    var tree = contents.tree
                    for key in stale { tree[key] = log.tree[key] }
                    log.tree = tree
                }
            }
        } catch {
            // The only reason is a closed store, which follows nothing any more.
        }
    }
}
