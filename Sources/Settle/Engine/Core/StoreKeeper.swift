/// Keeps a store or a draft open as long as it is referenced.
@usableFromInline
package class Keeper: @unchecked Sendable {
    // Sendable: it has no state.
}

/// Keeps a store open: referenced by every handle, every opened group, and unsaved changes.
///
/// The store references its settings, whose boxes reference the store. This cycle would keep the store alive forever;
/// so releasing the last reference to the keeper ends the store.
package final class StoreKeeper: Keeper, @unchecked Sendable {
    // Sendable: a constant.
    let engine: Engine

    /// - Parameter engine: A new one that is not shared yet.
    init(of engine: Engine) {
        self.engine = engine
        super.init()
        engine.log.unsaved.keeper = self
    }

    deinit {
        engine.end()
    }
}
