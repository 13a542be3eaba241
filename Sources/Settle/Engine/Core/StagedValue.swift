/// A value that a transaction has written but not published yet, without its type.
///
/// An object, so that it can be passed around without its type's metadata.
class AnyStagedValue: @unchecked Sendable {
    // Sendable: constants.

    /// Whether the application's domain will have a value: this one, or the one in `held`.
    final let isStored: Bool
    /// Whether a key around the setting, which no group declares, has replaced it.
    final let isReplaced: Bool
    /// The size of its stored form in bytes, if that is known and shows how much memory the value takes; otherwise 0.
    final let size: Int
    /// Set if the value was decoded, and its type has fields.
    final let fields: StoredFields?
    /// The other domain that provides the value.
    final let held: HeldValue?

    init(isStored: Bool, isReplaced: Bool, size: Int, fields: StoredFields?, held: HeldValue?) {
        self.isStored = isStored
        self.isReplaced = isReplaced
        self.size = size
        self.fields = fields
        self.held = held
    }

    /// The future value of the application's domain; `nil` if there is none.
    final var own: AnyStagedValue? { isStored ? held?.own ?? self : nil }

    var erasedValue: any Sendable {
        // Proof: the only subclass is StagedValue, which overrides it.
        preconditionFailure("erasedValue is not overridden")
    }
}

/// The fields of a stored value beyond those that its type knows.
///
/// An object, because few staged values have any.
final class StoredFields: Sendable {
    let unknown: UnknownFields?

    init(unknown: UnknownFields?) { self.unknown = unknown }
}

final class StagedValue<Value: Sendable>: AnyStagedValue, @unchecked Sendable {
    // Sendable: a constant.

    let value: Value

    init(
        _ value: Value, isStored: Bool, isReplaced: Bool = false, size: Int = 0, fields: StoredFields? = nil,
        held: HeldValue? = nil
    ) {
        self.value = value
        super.init(isStored: isStored, isReplaced: isReplaced, size: size, fields: fields, held: held)
    }

    override var erasedValue: any Sendable { value }
}

/// The reason why a setting has another value than the application's domain gives it.
final class HeldValue: Sendable {
    /// The domain that has the value in force.
    let domain: DomainIdentity
    /// The value of the application's domain, if that is covered.
    let own: AnyStagedValue?
    /// Set if a draft has changed the setting.
    let edit: DraftEdit?

    init(by domain: DomainIdentity, over own: AnyStagedValue? = nil, edit: DraftEdit? = nil) {
        self.domain = domain
        self.own = own
        self.edit = edit
    }
}

/// The changes of publishing a staged value.
struct StagedMutation {
    var old: any Sendable
    var new: any Sendable
    var isStored: Bool
    /// Whether both are equal, if compared at all and as far as the type can distinguish them.
    var isEqual: Bool
    /// The change of the application's value, if that is a different one.
    var own: OwnMutation?
    /// The memory that the mutation takes.
    var cost: Int
}

/// The change of publishing a staged value in the application's domain, while another domain has a value too.
struct OwnMutation {
    /// `nil` if nothing is stored.
    var old: (any Sendable)?
    var new: (any Sendable)?
    var isEqual: Bool
}
