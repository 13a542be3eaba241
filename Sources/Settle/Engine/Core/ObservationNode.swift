public import Observation
import Synchronization

/// The object that the Observation runtime tracks in place of a setting.
///
/// Not generic, and forms its key path once: a key path formed in generic code costs about a microsecond.
@usableFromInline
package final class ObservationNode: Observable, Sendable {
    private let probe = TrackingProbe()
    private let keyPath: any KeyPath<ObservationNode, Bool> & Sendable
    // The last property, because its library hides its size: the offsets of properties after it are looked up.
    private let registrar = ObservationRegistrar()

    package init() {
        keyPath = \ObservationNode.[probe]
    }

    /// Whether the setting was ever read inside a tracking scope. Never reset, because an observer is installed only
    /// after its scope has ended: resetting it in between would lose that observer.
    package var isTracked: Bool {
        probe.wasHashed.load(ordering: .relaxed)
    }

    @usableFromInline
    package func access() {
        registrar.access(self, keyPath: keyPath)
    }

    /// Notifies the observers of a change of the setting. Runs their code, so call it without any lock held.
    package func notify() {
        registrar.withMutation(of: self, keyPath: keyPath) {}
    }

    private subscript(probe: TrackingProbe) -> Bool {
        probe.wasHashed.load(ordering: .relaxed)
    }
}

/// The argument of the node's key path, through which the node learns that it is tracked.
///
/// The Observation runtime puts the key paths that a tracking scope reads into a set, and does nothing outside such a
/// scope. Hashing a key path hashes its arguments, so a call of `hash(into:)` means that the setting is tracked. An
/// untracked setting thus avoids the registrar's two lookups at each write.
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
