/// A value that a transaction has written and not published yet, without its type.
///
/// An object, so that it is handed around without a look at the type of the value.
class AnyStagedValue: @unchecked Sendable {
    // Sendable: constants.

    /// False if the value is the declaration's default, put back by a reset.
    final let isStored: Bool
    /// Whether something around the setting, which no group declares, stands in its place.
    final let isReplaced: Bool
    /// The size of its stored form in bytes, if that is known and tells what memory it takes; otherwise 0.
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
    /// Whether both are equal, as far as the type can tell and it was asked.
    var isEqual: Bool
    /// What the mutation takes in memory.
    var cost: Int
}
