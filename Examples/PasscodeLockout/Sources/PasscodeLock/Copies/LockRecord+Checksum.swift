import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LockRecord {
    /// The version of the stored form. Another version is not understood, so it is not trusted either.
    static let version = 1

    /// SHA-256 of everything that decides, as 64 hexadecimal digits.
    ///
    /// It detects damage and careless edits. Anyone who can write the file can also compute it: it is no signature.
    var checksum: String {
        var hash = SHA256()
        func add(_ text: String) {
            // Preceded by its length, so that no two records have the same bytes.
            withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Array(text.utf8))
        }
        func add(_ number: Int64) {
            withUnsafeBytes(of: number.littleEndian) { hash.update(bufferPointer: $0) }
        }
        add("Settle passcode lock")
        add(Int64(Self.version))
        add(Int64(generation))
        add(Int64(attemptCount))
        add(verifier.algorithm)
        for number in [verifier.cost.rounds, verifier.cost.blockSize, verifier.cost.parallelism] { add(Int64(number)) }
        for data in [verifier.salt, verifier.key] {
            add(Int64(data.count))
            hash.update(data: data)
        }
        add(wait == nil ? 0 : 1)
        if let wait {
            for duration in [wait.length, wait.start] {
                add(duration.components.seconds)
                add(duration.components.attoseconds)
            }
            add(wait.bootID)
        }
        return hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
