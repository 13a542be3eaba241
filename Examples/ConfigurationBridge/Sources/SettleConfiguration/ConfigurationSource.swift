// Settle 0.1.0-dev: copy this file. The guide “Settle and swift-configuration” names the products that it needs.

public import Configuration
import Foundation
public import Settle
import Synchronization

extension SearchList.Domain {
    /// The values of a provider of swift-configuration, such as a YAML file that is reloaded, or a remote service.
    ///
    /// ```swift
    /// let store = try await SettingsStore.open(
    ///     "com.example.app",
    ///     searching: [.configuration(EnvironmentVariablesProvider()), .application, .configuration(yaml)])
    /// ```
    ///
    /// With a domain for each provider, an explanation names the provider of each value.
    ///
    /// - Parameters:
    ///   - provider: The provider. Its `prefixKeys(with:)` and `mapKeys(_:)` find settings under other keys.
    ///   - name: The domain's name; by default the provider's.
    ///   - locksKeys: Whether a key that it has can't be written.
    public static func configuration(
        _ provider: some ConfigProvider, named name: DomainName? = nil, locksKeys: Bool = false
    ) -> SearchList.Domain {
        .source(name ?? DomainName(provider.providerName), ConfigurationSource(provider), locksKeys: locksKeys)
    }

    /// The values of a reader of swift-configuration, as the first of its providers with a value gives them.
    ///
    /// For code that only has a reader: it reveals neither which provider has a value, nor which values are secret.
    public static func configuration(
        _ reader: ConfigReader, named name: DomainName, locksKeys: Bool = false
    ) -> SearchList.Domain {
        .source(name, ConfigurationSource(reader), locksKeys: locksKeys)
    }
}

/// A domain with the values that a provider, or a reader, of swift-configuration has for declared settings.
///
/// Providers can't list their keys. So the source asks for the key of each declared setting, in the types that its
/// values may have: a date, for example, as a `string`, a `double` or an `int`. Strings get their type from the
/// declaration, as those of environment variables do. A dictionary is a JSON text; a group is looked up setting by
/// setting.
///
/// The source follows the provider's snapshots. A value that can't be used is left out, and reported as an issue of the
/// store that names the provider and the key. That includes a value that the provider marks as secret, if the setting's
/// type is not a `SecretValue`: the store would show it.
public final class ConfigurationSource: LookupDomainSource, AsyncDomainSource {
    private struct State {
        var keys: [SettingKey: LookupKey] = [:]
        var findings: [SettingKey: Finding] = [:]
        /// The reason why changes are no longer seen.
        var followProblem: String?

        /// Takes over a finding, unless its key has been declared again in the meantime, in another way.
        mutating func take(_ finding: Finding) {
            if keys[finding.key.key] == finding.key { findings[finding.key.key] = finding }
        }
    }

    private let name: String
    private let takeSnapshot: @Sendable () -> Lookup
    /// Calls a function for the current snapshot and each later one.
    private let followSnapshots: @Sendable (_ report: @escaping @Sendable () -> Void) async throws -> Void
    private let state = Mutex(State())

    /// Creates a source for a search list.
    public init(_ provider: some ConfigProvider) {
        name = provider.providerName
        takeSnapshot = {
            let snapshot = provider.snapshot()
            return { key, type, _ in try snapshot.value(forKey: key, type: type) }
        }
        followSnapshots = { report in
            try await provider.watchSnapshot { updates in
                for await _ in updates { report() }
            }
        }
    }

    /// Creates a source for a search list, with the values below the reader's scope.
    public init(_ reader: ConfigReader) {
        name = reader.description
        takeSnapshot = {
            let snapshot = reader.snapshot()
            return { key, type, isSecret in snapshot.lookUp(key, as: type, isSecret: isSecret) }
        }
        followSnapshots = { report in
            try await reader.watchSnapshot { updates in
                for await _ in updates { report() }
            }
        }
    }

    // MARK: Looking up

    public func declare(_ keys: [LookupKey]) {
        let new = state.withLock { state in
            keys.filter { state.keys.updateValue($0, forKey: $0.key) != $0 }
        }
        guard !new.isEmpty else { return }
        // Taken once the keys are known: a load with a newer snapshot has looked them up too, and its findings stay.
        let findings = find(new, by: takeSnapshot())
        state.withLock { state in
            for finding in findings where state.findings[finding.key.key]?.key != finding.key {
                state.take(finding)
            }
        }
    }

    public func load() -> DomainContents {
        let keys = state.withLock { Array($0.keys.values) }
        let findings = find(keys, by: takeSnapshot())
        state.withLock { state in
            for finding in findings { state.take(finding) }
        }
        return contents
    }

    private func find(_ keys: [LookupKey], by lookup: Lookup) -> [Finding] {
        keys.map { Finding(of: $0, in: name, by: lookup) }
    }

    public var contents: DomainContents {
        state.withLock { state in
            var contents = DomainContents(isText: true)
            // In order, so that of a key and one within it always the same one wins.
            for (_, finding) in state.findings.sorted(by: { $0.key < $1.key }) {
                if let value = finding.value { contents.tree[finding.key.key] = value }
            }
            contents.problems = state.findings.values.compactMap(\.problem).sorted()
            if let problem = state.followProblem { contents.problems.append(problem) }
            return contents
        }
    }

    public func place(of key: SettingKey) -> String {
        "“\(state.withLock { $0.findings[key]?.place } ?? key.description)” in \(name)"
    }

    // MARK: Following

    /// Reports the current snapshot, because the provider may have changed since the first load, and each later one.
    public func follow(_ changed: @escaping @Sendable () -> Void) async {
        do {
            try await followSnapshots(changed)
        } catch {
            // The store has ended it.
            guard !Task.isCancelled else { return }
            let problem = "Changes of \(name) are no longer seen: \(error)"
            state.withLock { $0.followProblem = problem }
            changed()
        }
    }
}

/// Returns the value of a key in a type.
///
/// - Parameter isSecret: Whether access reporters must not show the value.
private typealias Lookup = (_ key: AbsoluteConfigKey, _ type: ConfigType, _ isSecret: Bool) throws -> LookupResult

/// The result of looking up one setting.
private struct Finding: Sendable {
    let key: LookupKey
    private(set) var value: SettingValue?
    /// The key as the provider spells it, such as the name of a variable.
    private(set) var place: String
    private(set) var problem: String?

    init(of key: LookupKey, in provider: String, by lookup: Lookup) {
        self.key = key
        place = key.key.description
        let configKey = AbsoluteConfigKey(key.key.components)
        var failure: (any Error)?
        for type in key.shape.types {
            do {
                let result = try lookup(configKey, type, key.isSecret)
                place = result.encodedKey
                guard let found = result.value else { continue }
                if found.isSecret, !key.isSecret {
                    problem =
                        "“\(place)” in \(provider) is a secret, but “\(key.key)” is not declared as one: use Secret."
                } else {
                    value = SettingValue(found.content)
                }
                return
            } catch {
                // The first type is the most natural one.
                failure = failure ?? error
            }
        }
        guard let failure else { return }
        let reason = key.isSecret ? "the error is not shown, because it may quote the secret." : "\(failure)"
        problem = "“\(place)” in \(provider) is not used: \(reason)"
    }
}

extension ConfigSnapshotReader {
    fileprivate func lookUp(_ key: AbsoluteConfigKey, as type: ConfigType, isSecret: Bool) -> LookupResult {
        let configKey = ConfigKey(key.components, context: key.context)
        let content: ConfigContent? =
            switch type {
            case .string: string(forKey: configKey, isSecret: isSecret).map { .string($0) }
            case .int: int(forKey: configKey, isSecret: isSecret).map { .int($0) }
            case .double: double(forKey: configKey, isSecret: isSecret).map { .double($0) }
            case .bool: bool(forKey: configKey, isSecret: isSecret).map { .bool($0) }
            case .bytes: bytes(forKey: configKey, isSecret: isSecret).map { .bytes($0) }
            case .stringArray: stringArray(forKey: configKey, isSecret: isSecret).map { .stringArray($0) }
            case .intArray: intArray(forKey: configKey, isSecret: isSecret).map { .intArray($0) }
            case .doubleArray: doubleArray(forKey: configKey, isSecret: isSecret).map { .doubleArray($0) }
            case .boolArray: boolArray(forKey: configKey, isSecret: isSecret).map { .boolArray($0) }
            case .byteChunkArray: byteChunkArray(forKey: configKey, isSecret: isSecret).map { .byteChunkArray($0) }
            }
        return LookupResult(encodedKey: key.description, value: content.map { ConfigValue($0, isSecret: isSecret) })
    }
}

extension ValueShape {
    /// The types in which to ask for a value of this shape, until the provider has one.
    fileprivate var types: [ConfigType] {
        switch kind {
        case .bool: [.bool, .string]
        case .integer: [.int, .string]
        case .number: [.double, .int, .string]
        case .string, .url, .uuid, .dictionary: [.string]
        case .date, .duration: [.string, .double, .int]
        case .data: [.bytes, .string]
        case .array: element?.arrayTypes ?? [.stringArray, .string]
        case .any:
            switch cases?.first {
            case .string?: [.string]
            case .integer?: [.int, .string]
            default: [.string, .int, .double, .bool, .stringArray, .intArray, .doubleArray, .boolArray]
            }
        }
    }

    /// The types for an array of elements of this shape.
    private var arrayTypes: [ConfigType] {
        switch kind {
        case .bool: [.boolArray, .stringArray, .string]
        case .integer: [.intArray, .stringArray, .string]
        case .number: [.doubleArray, .intArray, .stringArray, .string]
        case .data: [.byteChunkArray, .stringArray, .string]
        case .date, .duration: [.stringArray, .doubleArray, .intArray, .string]
        case .string, .url, .uuid, .array, .dictionary: [.stringArray, .string]
        case .any: [.stringArray, .intArray, .doubleArray, .boolArray, .string]
        }
    }
}

extension SettingValue {
    fileprivate init(_ content: ConfigContent) {
        self =
            switch content {
            case .string(let text): .string(text)
            case .int(let number): .integer(Int64(number))
            case .double(let number): .real(number)
            case .bool(let truth): .bool(truth)
            case .bytes(let bytes): .data(Data(bytes))
            case .stringArray(let texts): .array(texts.map { .string($0) })
            case .intArray(let numbers): .array(numbers.map { .integer(Int64($0)) })
            case .doubleArray(let numbers): .array(numbers.map { .real($0) })
            case .boolArray(let truths): .array(truths.map { .bool($0) })
            case .byteChunkArray(let chunks): .array(chunks.map { .data(Data($0)) })
            }
    }
}
