/// A box's place in a store.
@usableFromInline
package final class Placement: Sendable {
    @usableFromInline let engine: Engine
    @usableFromInline let slot: SettingSlot

    init(in engine: Engine, slot: SettingSlot) {
        self.engine = engine
        self.slot = slot
    }
}
