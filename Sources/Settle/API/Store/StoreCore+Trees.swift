/// The contents of a store's domains, as trees.
extension StoreCore {
    /// The names of the domains, in the order in which they are searched.
    var domainNames: [DomainName] {
        let all = domains.all
        return all.filter(\.identity.isAbove).map(\.name) + [.application]
            + all.filter { !$0.identity.isAbove }.map(\.name) + [.declaration]
    }

    func contents(of domain: AttachedDomain) -> DomainContents {
        log.lock.withLock { log.stored.domains.contents(of: domain.identity) } ?? DomainContents()
    }

    /// Returns the values that the application's domain has, or is about to store.
    ///
    /// - Parameter path: The path at which they are needed: unsaved values elsewhere may be missing. `nil` for
    ///   everywhere.
    func ownTree(at path: SettingKey? = nil) -> SettingTree {
        recordRead(of: path)
        let (stored, unsaved) = log.lock.withLock {
            (log.stored.tree, log.unsavedValues(at: path, inTransaction: isInTransaction))
        }
        return unsaved.reduce(into: stored) { tree, value in tree[value.key] = (try? value.encoded()) ?? nil }
    }

    /// Returns a tree without the values of declared secrets.
    func visibleTree(_ tree: SettingTree) -> SettingTree {
        let hidden = log.lock.withLock { log.stored.secretPlaces }
        return hidden.reduce(into: tree) { $0[$1] = nil }
    }

    /// Returns the values in force: those of declared settings, and for other keys those that the domains give.
    func effectiveTree() -> SettingTree {
        let own = ownTree()
        var tree = log.lock.withLock { log.stored.domains.joined(own: own) }
        let (hidden, boxes) = log.lock.withLock {
            let boxes = log.stored.slots.all.compactMap { slot in
                slot.declaration == nil ? nil : slot.box.map { (log.stored.slots.declaredKey(of: slot), slot, $0) }
            }
            return (log.stored.secretPlaces, boxes)
        }
        for place in hidden { tree[place] = nil }
        for (key, slot, box) in boxes {
            for spelling in key.literals + [key, slot.key] { tree[spelling] = nil }
            tree[key] = slot.isSecret ? nil : try? box.encoder(box.visibleValue)
        }
        return tree
    }
}
