/// A source that can't list its keys, and so looks up those that the program declares.
///
/// A store reports each setting to the source before it opens the setting's group, so that the group's first value can
/// already come from the source. The source remembers all of them: each load looks up all keys again.
///
/// ```swift
/// final class Registry: LookupDomainSource {
///     private let values = Mutex<[SettingKey: SettingValue?]>([:])
///
///     func declare(_ keys: [LookupKey]) {
///         for key in keys.map(\.key) { values.withLock { $0.updateValue(read(key), forKey: key) } }
///     }
///
///     var contents: DomainContents {
///         var tree = SettingTree()
///         for (key, value) in values.withLock({ $0 }) { tree[key] = value }
///         return DomainContents(tree)
///     }
///     …
/// }
/// ```
///
/// - Note: Not settled: a version 0.x may still change it.
public protocol LookupDomainSource: DomainSource {
    /// Looks up keys, and adds them to those that each load looks up.
    ///
    /// Called on any thread, also while a load is running, and more than once for the same key. May read a file; does
    /// not wait for a network. Owner-only settings are never among the keys.
    func declare(_ keys: [LookupKey])

    /// The values of all keys that were declared, as of their last lookup. The store takes them instead of the result
    /// of a load, which may not have the newest keys.
    ///
    /// Returns immediately: it is called under the store's writer lock.
    var contents: DomainContents { get }
}

/// A setting that a source has to look up.
public struct LookupKey: Sendable, Hashable {
    /// The full key of the setting.
    public let key: SettingKey
    /// The form of its values where they are stored.
    public let shape: ValueShape
    /// Whether the setting is a ``SecretValue``.
    public let isSecret: Bool

    init(_ key: SettingKey, _ shape: ValueShape, isSecret: Bool) {
        (self.key, self.shape, self.isSecret) = (key, shape, isSecret)
    }

    /// Creates the key of a setting of a type, such as for a test of a source.
    public init<Value: Codable & Sendable>(_ key: SettingKey, of type: Value.Type) {
        self.init(key, ValueShape(of: type), isSecret: type is any SecretValue.Type)
    }
}
