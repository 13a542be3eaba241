/// Values as Swift types, for migrations.
extension SettingTree {
    /// Returns the value of a key, converted as for a setting of the type; `nil` if there is none.
    ///
    /// The value is found where a setting finds it: under a name with dots, or at the path.
    ///
    /// - Throws: An error that names the key if the value has another form or type.
    public func value<Value: Codable & Sendable>(_ type: Value.Type, forKey key: SettingKey) throws -> Value? {
        guard let value = self[location(of: key)] else { return nil }
        return try MigrationFailure.naming(key) { try SettingCodec<Value>.standard.decode(value) }
    }

    /// Sets the value of a key, converted as for a setting of the type, where a setting would store it.
    ///
    /// - Throws: An error that names the key if the value can't be stored.
    public mutating func setValue<Value: Codable & Sendable>(_ value: Value, forKey key: SettingKey) throws {
        self[location(of: key)] = try MigrationFailure.naming(key) { try SettingCodec<Value>.standard.encode(value) }
    }
}

/// Values where settings find them, for the steps.
extension SettingTree {
    /// Returns the key that has the value of a key: a name with dots if there is one, as in
    /// ``StoredValues/resolved(_:)``.
    func location(of key: SettingKey) -> SettingKey { key.literals.first { self[$0] != nil } ?? key }

    /// Removes the value of a key, in every spelling, and returns the one that a setting read.
    mutating func take(_ key: SettingKey) -> SettingValue? {
        let value = self[location(of: key)]
        for spelling in key.literals + [key] { self[spelling] = nil }
        return value
    }

    /// Removes everything at and below a path, in every spelling, and returns it as it would be at the path.
    mutating func takeAll(at path: SettingKey) -> SettingValue? {
        var found: SettingValue?
        // A longer name with dots takes precedence.
        for spelling in [path] + path.literals.reversed() {
            if let value = self[spelling] {
                self[spelling] = nil
                found = found.map { $0.merged(under: value) } ?? value
            }
            for (key, inner) in namesWithDots(within: spelling) {
                guard let value = self[key] else { continue }
                let entry = SettingValue.dictionary([inner: value])
                guard found.map(\.isDictionary) ?? true else { continue }
                self[key] = nil
                found = found.map { $0.merged(under: entry) } ?? entry
            }
        }
        return found
    }

    /// Returns the siblings of a key whose names begin with its name and a dot, with the rests of their names.
    private func namesWithDots(within key: SettingKey) -> [(key: SettingKey, inner: String)] {
        var siblings = root
        if let parent = key.parent {
            guard case .dictionary(let entries)? = self[parent] else { return [] }
            siblings = entries
        }
        let prefix = key.name + "."
        return siblings.compactMap { name, _ in
            guard name.utf8.count > prefix.utf8.count, name.utf8.starts(with: prefix.utf8) else { return nil }
            let inner = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            return (key.parent?.appending(component: name) ?? SettingKey(name: name), inner)
        }
    }
}

extension SettingValue {
    fileprivate var isDictionary: Bool { if case .dictionary = self { true } else { false } }

    /// Returns this value with another one merged over it: in two dictionaries, each entry is merged separately.
    func merged(under other: SettingValue) -> SettingValue {
        guard case .dictionary(let own) = self, case .dictionary(let others) = other else { return other }
        return .dictionary(own.merging(others) { $0.merged(under: $1) })
    }

    /// Returns the value without the values of keys at which another one has values, in any spelling; `nil` if nothing
    /// is left.
    func removing(keysOf other: SettingValue) -> SettingValue? {
        removing(Set(other.innermostKeys), within: "")
    }

    private func removing(_ keys: Set<String>, within prefix: String) -> SettingValue? {
        guard case .dictionary(let entries) = self, !entries.isEmpty else { return self }
        var rest = entries
        for (name, value) in entries {
            rest[name] = keys.contains(prefix + name) ? nil : value.removing(keys, within: prefix + name + ".")
        }
        return rest.isEmpty ? nil : .dictionary(rest)
    }

    /// The keys of the values within it, with all names joined by dots.
    private var innermostKeys: [String] {
        guard case .dictionary(let entries) = self else { return [] }
        return entries.flatMap { name, value in
            let inner = value.innermostKeys
            return inner.isEmpty ? [name] : inner.map { name + "." + $0 }
        }
    }
}
