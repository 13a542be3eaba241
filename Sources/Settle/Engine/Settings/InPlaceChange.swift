import Synchronization

/// A change in place in progress, with the writer's lock taken.
@usableFromInline
struct InPlaceChange: Sendable {
    /// Kept alive by the box.
    @usableFromInline let placement: Unmanaged<Placement>
    /// The setting's mark when the change began.
    let mark: UInt64
}

extension AnySettingBox {
    /// Takes the writer's lock for a change in place. Counts no references, because every `+= 1` comes this way.
    @usableFromInline
    final func beginModifying() -> InPlaceChange {
        guard flags.load(ordering: .relaxed).isDisjoint(with: .alias), let current = current.load(ordering: .acquiring)
        else {
            let placement = placement
            placement.engine.writer.lockForChange()
            return InPlaceChange(placement: .passUnretained(placement), mark: original.changeMark)
        }
        current._withUnsafeGuaranteedRef { $0.engine.lockWriterForChange() }
        return InPlaceChange(placement: current, mark: changeMark)
    }

    /// Ends the program if the setting was written after a change of it in place began: that write would be lost.
    @usableFromInline
    final func checkOverlap(with change: InPlaceChange) {
        let mark = flags.load(ordering: .relaxed).isDisjoint(with: .alias) ? changeMark : original.changeMark
        if mark != change.mark { endForOverlappingChange() }
    }

    /// Writes the word that was changed in place and releases the writer's lock. Returns false if it can't be published
    /// directly.
    @usableFromInline
    final func endModifying(word new: UInt64, _ change: InPlaceChange) -> Bool {
        checkOverlap(with: change)
        return change.placement._withUnsafeGuaranteedRef { placement in
            guard isDirect(in: placement) else { return false }
            publish(word: new, in: placement)
            return true
        }
    }
}

extension SettingBox {
    /// Writes the value that was changed in place and releases the writer's lock.
    @inlinable
    func endModifying(_ newValue: Value, _ change: InPlaceChange) {
        if Self.fitsIntoWord {
            // One call, because every `+= 1` comes this way.
            if endModifying(word: Self.word(of: newValue), change) { return }
        } else {
            checkOverlap(with: change)
        }
        change.placement._withUnsafeGuaranteedRef { endModifyingWithCare(newValue, $0) }
    }

    @usableFromInline
    func endModifyingWithCare(_ newValue: Value, _ placement: Placement) {
        if isDirect(in: placement) {
            publish(newValue, in: placement)
        } else {
            placement.engine.writer.checkChange()
            assignWithCare(newValue)
            placement.engine.writer.unlock()
        }
    }
}

/// Ends the program, as overlapping access to a variable does.
@usableFromInline
@inline(never)
func endForOverlappingChange() -> Never {
    // Proof: to continue would silently lose one of two writes.
    fatalError(
        "A setting was written while it was being changed in place, as in `settings.a.mutate { settings.a = 1 }`: one "
            + "of the two writes would be lost. Write it before, or change a copy and assign the result.")
}
