#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Defaults that a program registers at run time, below all other domains and above the declarations' defaults.
extension SettingsStore.Domains {
    /// Registers defaults by key, in addition to those registered before.
    ///
    /// ```swift
    /// try store.domains.register(["passcode.checkInterval": 30, "theme": "dark"])
    /// ```
    ///
    /// The store must search ``DomainName/registration``. From then on arguments and variables may set the keys, too,
    /// as they may set declared settings.
    ///
    /// - Throws: ``SettingsError`` if a key is not valid or a value can't be encoded, if two keys have the same
    ///   variable, if the store does not search the registered defaults or is closed, or within a transaction of the
    ///   store.
    public func register(_ defaults: [String: any Codable & Sendable]) throws {
        try store.open().register(encoded(defaults))
    }

    /// Registers the values of a settings file as defaults.
    ///
    /// - Throws: ``SettingsError`` as ``register(_:)`` does, and also if the file can't be read.
    public func register(contentsOf file: URL) throws {
        let core = try store.open()
        let tree: SettingTree
        do {
            let bytes = [UInt8](try Data(contentsOf: file))
            tree = try (FileFormat.detect(bytes) ?? .json).decode(bytes)
        } catch {
            throw SettingsError(.domain, "“\(file.path)” can't be registered: \(error)", underlying: error)
        }
        try core.register(Dictionary(uniqueKeysWithValues: tree.root.map { (SettingKey(name: $0), $1) }))
    }

    /// Registers defaults for a language, such as `de` or `pt-BR`. They apply if the user has chosen the language, or
    /// one that falls back to it.
    ///
    /// The store must search ``DomainName/language``.
    ///
    /// - Throws: ``SettingsError`` as ``register(_:)`` does.
    public func register(_ defaults: [String: any Codable & Sendable], language: String) throws {
        try store.open().register(encoded(defaults), language: language)
    }

    private func encoded(_ defaults: [String: any Codable & Sendable]) throws -> [SettingKey: SettingValue?] {
        var values: [SettingKey: SettingValue?] = [:]
        for (text, value) in defaults {
            let key = SettingKey(stored: text)
            try key.check(for: "register(_:)")
            values.updateValue(try encode(value, key), forKey: key)
        }
        return values
    }

    private func encode<Value: Codable & Sendable>(_ value: Value, _ key: SettingKey) throws -> SettingValue {
        do {
            return try SettingCodec<Value>.standard.encode(value)
        } catch {
            throw SettingsError.encodingFailed(key: key, isSecret: value is any SecretValue, error)
        }
    }
}

extension StoreCore {
    fileprivate func register(_ values: [SettingKey: SettingValue?]) throws {
        let domain = try domainToChange(.registration)
        try declareText(values)
        try set(values, in: domain.identity)
    }

    /// Lets arguments, variables and lookups give values to registered keys that no group declares.
    private func declareText(_ values: [SettingKey: SettingValue?]) throws(SettingsError) {
        guard domains.all.contains(where: { $0.source?.isOfDeclaredKeys == true }) else { return }
        let leaves = values.sorted(by: \.key).flatMap { key, value in value?.leaves(at: key) ?? [] }
        let keys = log.lock.withLock {
            leaves.filter { !log.stored.slots.concerns($0.key) }
                .map { key, value in
                    TextKey(key: key, kind: CommandLineOption.Kind(of: value), shape: { ValueShape(of: value) })
                }
        }
        let variables = try variables(for: keys)
        declareLookups(keys)
        writer.withLock { declareText(keys, variables) }
    }

    fileprivate func register(_ values: [SettingKey: SettingValue?], language: String) throws {
        let domain = try domainToChange(.language)
        try declareText(values)
        writer.lock()
        defer { writer.unlock() }
        languages.register(values, for: language)
        try replace(DomainContents(languages.tree), in: domain.identity)
    }
}

extension SettingValue {
    /// Returns the keys and values within a dictionary that are not dictionaries themselves.
    fileprivate func leaves(at key: SettingKey) -> [(key: SettingKey, value: SettingValue)] {
        guard case .dictionary(let entries) = self, !entries.isEmpty else { return [(key, self)] }
        return entries.flatMap { name, value in value.leaves(at: key.appending(component: name)) }
    }
}

extension DomainSource {
    /// Whether declarations determine which keys it has.
    fileprivate var isOfDeclaredKeys: Bool {
        self is ArgumentsSource || self is EnvironmentSource || self is any LookupDomainSource
    }
}

extension ValueShape {
    /// Creates the shape of a registered value.
    fileprivate init(of value: SettingValue) {
        self =
            switch value {
            case .null, .date, .data, .dictionary: .any
            case .bool: ValueShape(.bool)
            case .integer: ValueShape(.integer)
            case .real, .number: ValueShape(.number)
            case .string: ValueShape(.string)
            case .array(let elements): ValueShape(.array, of: elements.first.map { ValueShape(of: $0) } ?? .any)
            }
    }
}
