/// Remembers how often a lock's state has been written, where the state's owner can't turn it back.
///
/// Files can be copied, and an old copy restored (R17): the two copies of a lock do not show what came after
/// them. A witness notices. Good ones are a TPM's counter, a keychain item, or another user's service; a
/// ``StoredWitness`` is only as safe as the path of its file.
public protocol RollbackWitness: Sendable {
    /// The highest number ever passed to ``advance(to:)``; 0 before the first.
    ///
    /// - Throws: If the number is unknown. Then no passcode is compared.
    func generation() async throws -> Int

    /// Stores a number on stable storage before it returns, if it is greater than the one that is stored. The
    /// comparison and the write must be one step: of many callers with the same number, one succeeds.
    ///
    /// - Throws: ``WitnessRefusal`` if the number is not greater: another copy of the lock was faster. Any other error
    ///   if it can't be stored. Either way no passcode is compared.
    func advance(to generation: Int) async throws
}

/// A witness received a number that is not greater than the one that it has.
public struct WitnessRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number that was refused.
    public let generation: Int
    /// The witness's own.
    public let witnessed: Int

    public init(_ generation: Int, witnessed: Int) {
        (self.generation, self.witnessed) = (generation, witnessed)
    }

    public var description: String {
        "The witness has seen generation \(witnessed), so it rejects \(generation): another copy of the lock is in "
            + "use."
    }
}
