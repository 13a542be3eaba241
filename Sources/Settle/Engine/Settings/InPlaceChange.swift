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
        current._withUnsafeGuaranteedRef { $0.engine.writer.lockForChange() }
        return InPlaceChange(placement: current, mark: changeMark)
    }

    /// Ends the program if the setting was written after a change of it in place began: that write would be lost.
    @usableFromInline
    final func checkOverlap(with change: InPlaceChange) {
        let mark = flags.load(ordering: .relaxed).isDisjoint(with: .alias) ? changeMark : original.changeMark
        if mark != change.mark { endForOverlappingChange() }
    }
}

extension SettingBox {
    /// Writes the value that was changed in place and releases the writer's lock.
    @inlinable
    func endModifying(_ newValue: Value, _ change: InPlaceChange) {
        checkOverlap(with: change)
        change.placement._withUnsafeGuaranteedRef { placement in
            if Self.fitsIntoWord, isDirect(in: placement) {
                publish(word: Self.word(of: newValue), in: placement)
            } else {
                endModifyingWithCare(newValue, placement)
            }
        }
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
