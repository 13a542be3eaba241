import Synchronization

/// A draft, as seen by its boxes.
protocol DraftSource: AnyObject, Sendable {
    /// Gives the boxes their placements, unless they have them.
    func open()
}

/// The setting that a draft's box follows: that of the group from which the draft was made.
final class FollowedSetting: @unchecked Sendable {
    // Sendable: `held` is guarded as a box's is, `seen` by the writer's lock.

    let box: AnySettingBox
    let draft: any DraftSource
    private let ownNode = AtomicLazyReference<ObservationNode>()
    @exclusivity(unchecked) var held: HeldValue?
    /// The version of the followed value that the draft's subscribers know; `nil` if another domain covered the value,
    /// which then changes without another version.
    @exclusivity(unchecked) var seen: UInt64?

    init(_ box: AnySettingBox, in draft: any DraftSource) { (self.box, self.draft) = (box, draft) }

    /// Made when it is first needed, because it costs more than all the rest of a draft's setting.
    var node: ObservationNode { ownNode.load() ?? ownNode.storeIfNil(ObservationNode()) }
}

/// A change that a draft has made to a setting.
final class DraftEdit: Sendable {
    enum Kind: Sendable {
        case value
        /// The setting is to be reset.
        case reset
    }

    let kind: Kind
    let base: DraftEditBase

    init(_ kind: Kind, since base: DraftEditBase) {
        (self.kind, self.base) = (kind, base)
    }
}

/// The values of a setting when a draft first changed it.
final class DraftEditBase: Sendable {
    /// The value in force.
    let effective: any Sendable
    /// The value given by the application's domain and those below it.
    let own: any Sendable

    init(effective: any Sendable, own: any Sendable) {
        (self.effective, self.own) = (effective, own)
    }
}

/// How a setting has changed since a draft has changed it.
struct EditConflict {
    let original: any Sendable
    let current: any Sendable
    let draft: any Sendable
}

extension HeldValue {
    /// Creates the draft's value in place of the followed one.
    convenience init(_ edit: DraftEdit) {
        self.init(by: edit.kind == .value ? Self.draft : Self.declaration, edit: edit)
    }

    private static let draft = DomainIdentity(.application, .local, isAbove: false, isVolatile: true)
    private static let declaration = DomainIdentity(.declaration, .reset, isAbove: false, isVolatile: true)
}

extension AnySettingBox {
    /// Whether a draft has a value of its own.
    final var isEdited: Bool { has(.held) }

    /// The node to which changes of the box itself are reported.
    final var ownNode: ObservationNode { followed?.node ?? node }

    /// Tracks reads of the setting, and of the one that it follows, for Observation.
    final func accessNodes() {
        guard let followed else { return node.access() }
        followed.box.accessNodes()
        // If this is a tracking scope, it has just tracked the original's node. Otherwise avoid making another one.
        if node.isTracked { followed.node.access() }
    }
}
