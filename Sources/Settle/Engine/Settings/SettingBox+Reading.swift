public import Synchronization

/// Reading the value, with and without a transaction.
extension SettingBox {
    /// The value as the calling thread sees it.
    @inlinable
    var value: Value {
        flags.load(ordering: .acquiring).isDisjoint(with: .unreadable) ? published : valueInSpecialState
    }

    /// The value as the calling thread sees it, tracked by Observation.
    @inlinable
    var trackedValue: Value {
        guard flags.load(ordering: .acquiring).isDisjoint(with: .unreadable) else { return trackedValueInSpecialState }
        node.access()
        return published
    }

    /// The value with which a change in place begins: that of the application's domain and those below it, so that
    /// values of domains above it are never stored.
    @inlinable
    var valueToModify: Value {
        flags.load(ordering: .acquiring).isDisjoint(with: .uncomparable) ? published : valueToModifyInSpecialState
    }

    /// The value that all threads see.
    @inlinable
    var published: Value {
        if Self.fitsIntoWord { return Self.value(of: word.load(ordering: .acquiring)) }
        guard let pointer = cell.pointer else { return definition.defaultValue }
        cell.lock.lock()
        defer { cell.lock.unlock() }
        return pointer.pointee
    }

    /// Returns the published value with its version, unless that is `seen`.
    @inlinable
    func published(unlessVersion seen: UInt64) -> (value: Value, version: UInt64)? {
        if Self.fitsIntoWord {
            let before = version.load(ordering: .acquiring)
            if before == seen { return nil }
            let value = Self.value(of: word.load(ordering: .acquiring))
            if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return (value, before) }
            return publishedWord(unlessVersion: seen)
        }
        guard let pointer = cell.pointer, version.load(ordering: .acquiring) != seen else { return nil }
        cell.lock.lock()
        defer { cell.lock.unlock() }
        return (pointer.pointee, version.load(ordering: .relaxed))
    }

    /// Returns the same, if a writer was just replacing the word, which takes a few instructions.
    @usableFromInline
    func publishedWord(unlessVersion seen: UInt64) -> (value: Value, version: UInt64)? {
        var backOff = SpinBackOff()
        while true {
            backOff.pause()
            let before = version.load(ordering: .acquiring)
            if before == seen { return nil }
            let value = Self.value(of: word.load(ordering: .acquiring))
            if before.isMultiple(of: 2), version.load(ordering: .acquiring) == before { return (value, before) }
        }
    }

    @usableFromInline
    var valueInSpecialState: Value {
        if has(.frozen) { return published }
        let box = resolved
        box.recordRead()
        if box.has(.staged), box.placement.engine.writer.isHeldByCurrentThread, let staged = box.stagedValue {
            return staged.value
        }
        return box.isFollowing ? box.valueInDraft : box.published
    }

    @usableFromInline
    var trackedValueInSpecialState: Value {
        // An alias or a frozen box has a node too, but changes are reported to the original's.
        original.accessNodes()
        return valueInSpecialState
    }

    /// The box that holds the value: this one, unless it is an alias.
    @inlinable
    var resolved: SettingBox {
        flags.load(ordering: .relaxed).isDisjoint(with: .alias) ? self : resolvedAlias
    }

    @usableFromInline
    var resolvedAlias: SettingBox {
        // Only a box of the same type becomes an alias, see `StoreCore.open`.
        (alias as? SettingBox) ?? self
    }
}
