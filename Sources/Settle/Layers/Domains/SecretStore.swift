/// A store of secrets outside of all settings files: a folder that only the user can read, or a key ring of the system.
///
/// Settings that are declared with `storedIn: .secrets` (``SettingStorage/secrets``) are written to the secret store of
/// the search list, ``SearchList/Domain/secretStore(_:)``. Each secret is a text with the key of its setting. The store
/// asks for the keys that the groups in use declare; nothing else in the secret store is read.
///
/// ```swift
/// final class Ring: SecretStore {
///     func secret(forKey key: SettingKey) throws(StorageError) -> String? { … }
///     func setSecret(_ secret: String?, forKey key: SettingKey) throws(StorageError) { … }
///     func location(of key: SettingKey) -> String { "the key ring's entry “\(key)”" }
/// }
/// ```
///
/// The functions that read and write may block, and are called on any thread. No two calls write at the same time, but
/// a key may be read while it or another one is written. An update that is running when the store closes is finished,
/// so both may also be called during and after ``close()``. Errors and locations never contain a secret.
///
/// - Note: Not settled: a version 0.x may still change it.
public protocol SecretStore: Sendable {
    /// Returns the secret of a key, exactly as it was written; `nil` if there is none.
    ///
    /// - Throws: ``StorageError`` if the secret can't be read. The last one that could be stays in force, and the key is
    ///   not overwritten.
    func secret(forKey key: SettingKey) throws(StorageError) -> String?

    /// Stores the secret of a key, or removes it. Returns once a program that starts after a loss of power finds it as
    /// it is now, unless the secret store forgets its contents then anyway.
    ///
    /// - Throws: ``StorageError`` if the secret was not stored or removed, or may not outlast a loss of power.
    func setSecret(_ secret: String?, forKey key: SettingKey) throws(StorageError)

    /// Registers a function to call whenever a secret may have been changed by others, until the secret store closes.
    /// Called once. Returns immediately. By default nothing is reported: ``SettingsStore/reload()`` finds such changes.
    func watch(_ changed: @escaping @Sendable () -> Void)

    /// Returns where the secret of a key is, for users, such as `“/home/carol/.config/app/secrets/token”`.
    func location(of key: SettingKey) -> String

    /// Ends watching. Called once. By default there is nothing to end.
    func close() async
}

extension SecretStore {
    public func watch(_ changed: @escaping @Sendable () -> Void) {}
    public func close() async {}
}
