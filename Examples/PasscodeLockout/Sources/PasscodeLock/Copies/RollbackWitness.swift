/// Remembers how often a lock's state has been written, where the state's owner can't turn it back.
///
/// Files can be copied, and an old copy put back (R17): the two copies of a lock together can't tell what came after
/// them. A witness notices. Good ones are a TPM's counter, a keychain item, or another user's service; a
/// ``StoredWitness`` is only as good as the place of its file.
public protocol RollbackWitness: Sendable {
    /// The highest number ever passed to ``advance(to:)``; 0 before the first.
    ///
    /// - Throws: If the number is unknown. Then no passcode is compared.
    func generation() async throws -> Int

    /// Stores a number on stable storage before it returns. A lower number than before changes nothing.
    ///
    /// - Throws: If the number can't be stored. Then no passcode is compared.
    func advance(to generation: Int) async throws
}
