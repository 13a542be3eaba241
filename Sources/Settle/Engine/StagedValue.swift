/// A value that a transaction has written but not published yet, without its type.
///
/// An object, so that it can be passed around without its type's metadata.
class AnyStagedValue: @unchecked Sendable {
    // Sendable: constants.

    /// False if the value is the declaration's default, restored by a reset.
    final let isStored: Bool
    /// Whether a key around the setting, which no group declares, has taken its place.
    final let isReplaced: Bool
    /// The size of its stored form in bytes, if that is known and tells how much memory the value takes; otherwise 0.
    final let size: Int

    init(isStored: Bool, isReplaced: Bool, size: Int) {
        self.isStored = isStored
        self.isReplaced = isReplaced
        self.size = size
    }
}

final class StagedValue<Value: Sendable>: AnyStagedValue, @unchecked Sendable {
    let value: Value

    init(_ value: Value, isStored: Bool, isReplaced: Bool = false, size: Int = 0) {
        self.value = value
        super.init(isStored: isStored, isReplaced: isReplaced, size: size)
    }
}

/// What publishing a staged value changes.
struct StagedMutation {
    var old: any Sendable
    var new: any Sendable
    var isStored: Bool
    /// Whether both are equal, if compared at all and as far as the type can tell.
    var isEqual: Bool
    /// The memory that the mutation takes.
    var cost: Int
}
