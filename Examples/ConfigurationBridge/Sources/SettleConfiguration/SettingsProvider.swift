// Settle 0.1.0-dev: copy this file. The guide “Settle and swift-configuration” names the products that it needs.

public import Configuration
import Foundation
public import Settle
import Synchronization

/// The values of a store as a provider of swift-configuration.
///
/// ```swift
/// let config = ConfigReader(providers: [EnvironmentVariablesProvider(), SettingsProvider(store)])
/// let port = config.int(forKey: "http.port", default: 8080)
/// ```
///
/// The components of a key are the names in a setting's key, so that `http.port` is the setting `port` of the group at
/// `http`; the context of a key is ignored. An entry of a dictionary has the key of the setting and its own name. A
/// value is the effective one, and a declared setting always has a value, at least its default. List the provider after
/// those whose values take precedence.
///
/// A value is never converted: one of another type is an error, except that a whole number is also a `double`, a whole
/// `double` an `int`, and a date or data also a `string`, as in a settings file. URLs, UUIDs, durations and enumerated
/// values have the strings or numbers in which they are stored. While no group declares a key, its base64 strings are
/// also `bytes`. Declared secrets, and values within them, are marked as secret.
///
/// The provider keeps the store open. Once the store closes, its last values stay, and the sequences of watchers end.
public struct SettingsProvider: ConfigProvider {
    public let providerName: String
    private let store: SettingsStore
    private let known = KnownResults()

    /// Creates a provider of all values of a store, whether or not a group declares their keys.
    ///
    /// - Parameter name: The name for access reporters; by default `SettingsProvider`.
    public init(_ store: SettingsStore, name: String = "SettingsProvider") {
        self.store = store
        providerName = name
    }

    /// Returns the current value. Inside its own transaction a thread reads the transaction's writes.
    ///
    /// - Throws: An error with the key, but without the value, if the value is of another type.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        guard let settingKey = SettingKey(components: key.components) else { return .nothing(at: key) }
        // Before the value: a change in between makes the result seem older than it is, which only costs a read.
        guard let version = store.keys.version else { return try read(settingKey, as: type) }
        if let result = known.result(at: settingKey, as: type, version) { return result }
        let result = try read(settingKey, as: type)
        known.add(result, at: settingKey, as: type, version)
        return result
    }

    private func read(_ key: SettingKey, as type: ConfigType) throws -> LookupResult {
        try result(store.keys[key], at: key, as: type)
    }

    private func result(_ stored: SettingValue?, at key: SettingKey, as type: ConfigType) throws -> LookupResult {
        let keys = store.keys
        return try LookupResult(
            stored ?? keys.entry(at: key), at: key, as: type, isSecret: keys.isSecret(key),
            isDeclared: keys.setting(forKey: key) != nil)
    }

    /// Returns the current value: the store knows every change of its domains, also those by other processes, a moment
    /// after it is made.
    nonisolated(nonsending) public func fetchValue(
        forKey key: AbsoluteConfigKey, type: ConfigType
    ) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    /// Delivers the current value, then the newest one after each change. The last value is always delivered.
    nonisolated(nonsending) public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler:
            nonisolated(nonsending) (
                _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
            ) async throws -> Return
    ) async throws -> Return {
        guard let settingKey = SettingKey(components: key.components) else {
            return try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
        }
        let changes = store.keys.values(forKey: settingKey, as: SettingValue.self)
        return try await updatesHandler(
            ConfigUpdatesAsyncSequence(
                // Not read again: the sequence would skip a change back to this element.
                changes.map { stored -> Result<LookupResult, any Error> in
                    Result { try result(stored, at: settingKey, as: type) }
                }))
    }

    /// Returns all values, as they were between two transactions.
    public func snapshot() -> any ConfigSnapshot {
        SettingsSnapshot(of: store, named: providerName)
    }

    /// Delivers a snapshot, then the newest one after changes. The last state is always delivered.
    nonisolated(nonsending) public func watchSnapshot<Return: ~Copyable>(
        updatesHandler:
            nonisolated(nonsending) (
                _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
            ) async throws -> Return
    ) async throws -> Return {
        try await updatesHandler(
            ConfigUpdatesAsyncSequence(store.keys.updates.map { _ -> any ConfigSnapshot in snapshot() }))
    }
}

extension SettingsStore.Keys {
    /// Returns the value of a key within that of a declared setting, which may be the setting's default.
    fileprivate func entry(at key: SettingKey) -> SettingValue? {
        guard let parent = key.parents.first(where: { setting(forKey: $0) != nil }) else { return nil }
        var tree = SettingTree()
        tree[parent] = self[parent]
        return tree[key]
    }
}

/// The results of reads since the last change of the store.
private final class KnownResults: Sendable {
    private struct Contents {
        /// The version of the store to which all of the results belong.
        var version: UInt64 = 0
        /// The last result for each key, because nearly every key is read as one type only.
        var results: [SettingKey: (type: ConfigType, result: LookupResult)] = [:]
    }

    private static let limit = 10_000
    private let contents = Mutex(Contents())

    /// Returns the result of an earlier read, if it is current in this version of the store.
    func result(at key: SettingKey, as type: ConfigType, _ version: UInt64) -> LookupResult? {
        contents.withLock { contents in
            if contents.version < version {
                contents.results.removeAll(keepingCapacity: true)
                contents.version = version
            }
            guard contents.version == version, let known = contents.results[key], known.type == type else { return nil }
            return known.result
        }
    }

    func add(_ result: LookupResult, at key: SettingKey, as type: ConfigType, _ version: UInt64) {
        // A secret must not stay in memory longer than in the store.
        if result.value?.isSecret == true { return }
        contents.withLock { contents in
            // Otherwise, another thread has seen a newer version.
            guard contents.version == version else { return }
            if contents.results.count >= Self.limit { contents.results.removeAll() }
            contents.results[key] = (type, result)
        }
    }
}

// MARK: Snapshots

/// All values of a store at one moment.
private struct SettingsSnapshot: ConfigSnapshot {
    private struct Contents {
        let values: SettingTree
        /// The values of keys that are, or lie in, names with dots, by the paths that these stand for.
        private(set) var named: [SettingKey: SettingValue?] = [:]
        let declared: Set<SettingKey>
        let secrets: Set<SettingKey>

        init(of store: SettingsStore) {
            var values = store.keys.effectiveValues
            var declared: Set<SettingKey> = []
            var secrets: Set<SettingKey> = []
            for setting in store.settings {
                guard let key = SettingKey(setting.key) else { continue }
                declared.insert(key)
                guard setting.isSecret else { continue }
                secrets.insert(key)
                values[key] = store.keys[key]
            }
            (self.values, self.declared, self.secrets) = (values, declared, secrets)
            collectNames(in: values.root, at: [], of: store)
        }

        private mutating func collectNames(
            in entries: SettingValue.Entries, at path: [String], hasDots: Bool = false, of store: SettingsStore
        ) {
            for (name, value) in entries {
                let isNamed = hasDots || name.contains(".")
                let path = path + name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                // Which of the spellings has the value is for the store to decide, domain by domain.
                if isNamed, let key = SettingKey(components: path) { named.updateValue(store.keys[key], forKey: key) }
                if case .dictionary(let inner) = value {
                    collectNames(in: inner, at: path, hasDots: isNamed, of: store)
                }
            }
        }
    }

    let providerName: String
    private let contents: Contents

    /// How often the values are read again because a transaction came in between.
    private static let attempts = 8

    init(of store: SettingsStore, named name: String) {
        providerName = name
        contents = Self.contents(of: store)
    }

    private static func contents(of store: SettingsStore) -> Contents {
        for _ in 0..<attempts {
            let revision = store.revision
            let contents = Contents(of: store)
            // A transaction gets its revision in the same step that makes it visible.
            if store.revision == revision { return contents }
        }
        // The writers are faster. Within a transaction they wait; it fails only for a closed store, which has none.
        return (try? store.update { Contents(of: store) }) ?? Contents(of: store)
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        guard let settingKey = SettingKey(components: key.components) else { return .nothing(at: key) }
        return try LookupResult(
            contents.named[settingKey] ?? contents.values[settingKey], at: settingKey, as: type,
            isSecret: isSecret(settingKey), isDeclared: contents.declared.contains(settingKey))
    }

    private func isSecret(_ key: SettingKey) -> Bool {
        guard !contents.secrets.isEmpty else { return false }
        return contents.secrets.contains(key) || key.parents.contains { contents.secrets.contains($0) }
    }
}

// MARK: Values

/// A value that does not have the requested type.
private struct TypeMismatch: Error, CustomStringConvertible {
    let key: SettingKey
    let type: ConfigType

    var description: String { "The value of “\(key)” is not of the type \(type)." }
}

extension LookupResult {
    /// The result for a key with an empty name, which no setting can have.
    fileprivate static func nothing(at key: AbsoluteConfigKey) -> LookupResult {
        LookupResult(encodedKey: key.description, value: nil)
    }

    /// - Parameters:
    ///   - isSecret: Whether the key holds a secret. Evaluated only if there is a value.
    ///   - isDeclared: Whether a group declares the key. Evaluated only if the value is not of the type.
    fileprivate init(
        _ value: SettingValue?, at key: SettingKey, as type: ConfigType, isSecret: @autoclosure () -> Bool,
        isDeclared: @autoclosure () -> Bool
    ) throws {
        switch value {
        case nil, .null?: self.init(encodedKey: key.description, value: nil)
        case let value?:
            let content = value.content(as: type) ?? (isDeclared() ? nil : value.base64Content(as: type))
            guard let content else { throw TypeMismatch(key: key, type: type) }
            self.init(encodedKey: key.description, value: ConfigValue(content, isSecret: isSecret()))
        }
    }
}

extension SettingValue {
    /// Returns the value as one of a type; `nil` if it is not.
    fileprivate func content(as type: ConfigType) -> ConfigContent? {
        switch type {
        case .string: text.map { .string($0) }
        case .int: wholeNumber.map { .int($0) }
        case .double: decimalNumber.map { .double($0) }
        case .bool: truth.map { .bool($0) }
        case .bytes: byteArray.map { .bytes($0) }
        case .stringArray: elements(\.text).map { .stringArray($0) }
        case .intArray: elements(\.wholeNumber).map { .intArray($0) }
        case .doubleArray: elements(\.decimalNumber).map { .doubleArray($0) }
        case .boolArray: elements(\.truth).map { .boolArray($0) }
        case .byteChunkArray: elements(\.byteArray).map { .byteChunkArray($0) }
        }
    }

    /// Returns the bytes that strings stand for: a format without data, such as JSON, has them as base64 strings, and
    /// only a declaration tells these from other strings.
    fileprivate func base64Content(as type: ConfigType) -> ConfigContent? {
        switch type {
        case .bytes: decodedBase64.map { .bytes($0) }
        case .byteChunkArray: elements(\.decodedBase64).map { .byteChunkArray($0) }
        default: nil
        }
    }

    private var text: String? {
        switch self {
        case .string(let text): text
        // The string that JSON has for it. There is none for years of more than four digits.
        case .date: (try? SettingValue(json: json()))?.text
        case .data(let data): data.base64EncodedString()
        default: nil
        }
    }

    private var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .real(let number): Int(exactly: number)
        default: nil
        }
    }

    private var decimalNumber: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(exactly: number)
        default: nil
        }
    }

    private var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }

    private var byteArray: [UInt8]? { if case .data(let data) = self { [UInt8](data) } else { nil } }

    private var decodedBase64: [UInt8]? {
        guard case .string(let text) = self else { return nil }
        return Data(base64Encoded: text).map { [UInt8]($0) }
    }

    /// Returns the elements of an array, if all of them are of one type.
    private func elements<Element>(_ read: (SettingValue) -> Element?) -> [Element]? {
        guard case .array(let values) = self else { return nil }
        let elements = values.compactMap(read)
        return elements.count == values.count ? elements : nil
    }
}
