/// Somebody who remembers how often a lock's state has been written, where the state's owner can't turn it back.
///
/// Files can be copied, and an old copy put back (R17): both copies of a lock together say nothing of what came after
/// them. A witness notices. Good ones are a counter of a TPM, an item of a keychain, or another user's service; a
/// ``StoredWitness`` is as good as the place of its file.
public protocol RollbackWitness: Sendable {
    /// The highest number that ``advance(to:)`` has ever been given; 0 before the first.
    ///
    /// - Throws: If nobody can tell. Then no passcode is looked at.
    func generation() async throws -> Int

    /// Remembers a number, on stable storage, before it returns. A lower one than before changes nothing.
    ///
    /// - Throws: If it can't be remembered. Then no passcode is looked at.
    func advance(to generation: Int) async throws
}
