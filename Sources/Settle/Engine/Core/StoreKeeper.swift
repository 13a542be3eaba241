/// Keeps a store open: referenced by every handle, every opened group, and unsaved changes.
///
/// The store references its settings, whose boxes reference the store. This cycle would keep the store alive forever;
/// so releasing the last reference to the keeper ends the store.
@usableFromInline
package final class StoreKeeper: Sendable {
    @usableFromInline let engine: Engine

    /// - Parameter engine: A new one that is not shared yet.
    init(of engine: Engine) {
        self.engine = engine
        engine.log.unsaved.keeper = self
    }

    deinit {
        engine.end()
    }
}
