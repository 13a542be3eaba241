public import Observation
import Synchronization

/// What the Observation runtime tracks in place of a setting.
///
/// It is not generic and forms its key path once, because a key path formed in generic code costs about a microsecond.
@usableFromInline
package final class ObservationNode: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let probe = TrackingProbe()
    private let keyPath: any KeyPath<ObservationNode, Bool> & Sendable

    package init() {
        keyPath = \ObservationNode.[probe]
    }

    /// Whether anybody has ever read the setting inside a tracking scope. It stays true once it is true, because an
    /// observer is installed only after its scope has ended: clearing it in between would lose that observer.
    package var isTracked: Bool {
        probe.wasHashed.load(ordering: .relaxed)
    }

    @usableFromInline
    package func access() {
        registrar.access(self, keyPath: keyPath)
    }

    /// Tells the observers that the setting has changed. Runs their code, so it is called without any lock.
    package func notify() {
        registrar.withMutation(of: self, keyPath: keyPath) {}
    }

    private subscript(probe: TrackingProbe) -> Bool {
        probe.wasHashed.load(ordering: .relaxed)
    }
}

/// The argument of the node's key path, through which the node learns that it is tracked.
///
/// The Observation runtime puts the key paths that a tracking scope reads into a set, and does nothing at all outside
/// such a scope. Hashing a key path hashes its arguments, so a call of `hash(into:)` means that somebody tracks. That
/// spares a setting which nobody tracks the registrar's two look-ups at each write.
private final class TrackingProbe: Hashable, Sendable {
    let wasHashed = Atomic<Bool>(false)

    static func == (lhs: TrackingProbe, rhs: TrackingProbe) -> Bool {
        lhs === rhs
    }

    func hash(into hasher: inout Hasher) {
        wasHashed.store(true, ordering: .relaxed)
        hasher.combine(ObjectIdentifier(self))
    }
}
