import CKeyRing
public import Settle

/// A secret store in a key ring of the Linux kernel, which no file has.
///
/// ```swift
/// let list: SearchList = [.secretStore(KeyRing(service: "com.example.app", ring: .user)), .application]
/// ```
///
/// Each secret is a key of the type `user`, described as `com.example.app:service.token`. The keys are in the kernel's
/// memory: none outlasts a restart of the machine. A secret has 1 to 32,767 bytes, and all of a user's keys together
/// are limited (`/proc/sys/kernel/keys/maxbytes`). Changes by other programs cause no events; `store.reload()` finds
/// them.
public struct KeyRing: SecretStore {
    /// A ring that every process has.
    public enum Ring: Int32, Sendable, CaseIterable {
        /// The ring of the login session, or of the unit that systemd has started. It ends with the session.
        case session = -3
        /// The ring of the user, for all of the user's sessions. It ends some time after the last process of the user.
        case user = -4
    }

    private let service: String
    private let ring: Ring
    /// The ring's number; a negative error number if the process has none. Resolved once: a thread without a session
    /// would get a ring of its own from its first write.
    private let number: Int32

    /// - Parameter service: Distinguishes the keys from those of other programs.
    public init(service: String, ring: Ring) {
        (self.service, self.ring) = (service, ring)
        number = Int32(truncatingIfNeeded: keyring_number(ring.rawValue))
    }

    /// Whether the kernel has key rings, and the process may use this one. Most containers may not.
    public var isReachable: Bool {
        guard number >= 0 else { return false }
        possess()
        let found = keyring_find("\(service):", number)
        return found >= 0 || -found == Self.noKey
    }

    /// Lets the calling thread, which has credentials of its own, use the keys of the ring. If it may not, the next call
    /// reports the error.
    private func possess() { _ = keyring_possess(number) }

    // MARK: Reading

    public func secret(forKey key: SettingKey) throws(StorageError) -> String? {
        guard let found = try find(key) else { return nil }
        var bytes: [UInt8] = []
        while true {
            let size = bytes.withUnsafeMutableBytes { keyring_read(found, $0.baseAddress, $0.count) }
            if Self.absent.contains(-size) { return nil }
            guard size >= 0 else { throw failure(.unreadable, key, "read", -size) }
            guard size > bytes.count else {
                bytes.removeLast(bytes.count - size)
                break
            }
            bytes = [UInt8](repeating: 0, count: size)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StorageError(.unreadable, "\(location(of: key)) can't be read: it is not UTF-8 text.")
        }
        return text
    }

    public func location(of key: SettingKey) -> String { "the \(ring) key ring's “\(description(of: key))”" }

    private func description(of key: SettingKey) -> String { "\(service):\(key)" }

    /// - Returns: The number of the key; `nil` if there is none.
    private func find(_ key: SettingKey) throws(StorageError) -> Int32? {
        try beginUsing(key, "found")
        let found = keyring_find(description(of: key), number)
        if Self.absent.contains(-found) { return nil }
        guard found >= 0 else { throw failure(.unavailable, key, "found", -found) }
        return Int32(truncatingIfNeeded: found)
    }

    /// Call first, in every function that uses the ring.
    private func beginUsing(_ key: SettingKey, _ action: String) throws(StorageError) {
        // Which the kernel would take for the end of the description.
        guard !description(of: key).utf8.contains(0) else {
            throw StorageError(.unsupportedValue, "\(location(of: key)) could not be \(action): its name has a null.")
        }
        guard number >= 0 else { throw failure(.unavailable, key, action, Int(-number)) }
        possess()
    }

    // MARK: Writing

    public func setSecret(_ secret: String?, forKey key: SettingKey) throws(StorageError) {
        guard let secret else { return try remove(key) }
        let bytes = Array(secret.utf8)
        guard 1...Self.sizeLimit ~= bytes.count else {
            throw StorageError(
                .unsupportedValue,
                "\(location(of: key)) was not written: a secret has 1 to \(Self.sizeLimit) bytes there, and this one has "
                    + "\(bytes.count).")
        }
        try beginUsing(key, "written")
        let result = keyring_add(description(of: key), bytes, bytes.count, number)
        guard result >= 0 else { throw failure(.writeFailed, key, "written", -result) }
    }

    private func remove(_ key: SettingKey) throws(StorageError) {
        guard let found = try find(key) else { return }
        let result = keyring_unlink(found, number)
        guard result < 0 else { return }
        // Another process may have been faster, unless the key is in a ring within this one, where a read finds it too.
        guard Self.absent.contains(-result), try find(key) == nil else {
            throw failure(.writeFailed, key, "removed", -result)
        }
    }

    private func failure(_ code: StorageError.Code, _ key: SettingKey, _ action: String, _ number: Int) -> StorageError
    {
        let error = Int32(truncatingIfNeeded: number)
        return StorageError(code, "\(location(of: key)) could not be \(action): error \(error).", errno: error)
    }

    // MARK: Numbers of the kernel

    private static let sizeLimit = 32_767
    /// ENOKEY: no key has the description.
    private static let noKey = 126
    /// ENOENT: the key is not in the ring. ENOKEY. EKEYEXPIRED and EKEYREVOKED: it was, and has no contents any more.
    private static let absent: Set = [2, noKey, 127, 128]
}
