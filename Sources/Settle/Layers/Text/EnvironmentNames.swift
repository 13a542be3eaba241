/// The environment variables that belong to keys.
struct EnvironmentNames: Sendable {
    /// In the order of the keys that were given.
    let variables: [(key: SettingKey, name: String)]
    private let names: Set<String>

    /// - Throws: ``EnvironmentPrefixError``, or ``SpellingCollision`` for two keys with the same variable.
    init(prefix: String, keys: some Sequence<SettingKey>) throws {
        try EnvironmentPrefixError.check(prefix)
        var keysByName: [String: SettingKey] = [:]
        var variables: [(key: SettingKey, name: String)] = []
        for key in keys {
            let name = Self.name(of: key, prefix: prefix)
            if let other = keysByName.updateValue(key, forKey: name) {
                guard other == key else { throw SpellingCollision(name, other, key) }
                continue
            }
            variables.append((key, name))
        }
        self.variables = variables
        names = Set(keysByName.keys)
    }

    /// - Parameter keys: The keys, by their variables.
    init(declared keys: [String: SettingKey]) {
        variables = keys.map { (key: $1, name: $0) }.sorted { $0.key < $1.key }
        names = Set(keys.keys)
    }

    /// Returns for example `APP_PASSCODE_ATTEMPT_COUNT`.
    static func name(of key: SettingKey, prefix: String) -> String { "\(prefix)_\(key.environmentSpelling)" }

    /// Returns the variable that names a file with the value; `nil` if that variable belongs to another key.
    func fileVariable(of name: String) -> String? {
        let fileName = name + "_FILE"
        return names.contains(fileName) ? nil : fileName
    }

    /// Returns the variables with a prefix that belong to no key, sorted, each with the nearest one that does, if it is
    /// near enough to be a misspelling.
    ///
    /// - Parameter keys: The keys, by their variables.
    static func unknown(
        among variables: some Sequence<String>, declared keys: [String: SettingKey], prefix: String
    ) -> [(name: String, nearest: String?)] {
        let begin = prefix + "_"
        let unknown = variables.filter { name in
            guard name.hasPrefix(begin), keys[name] == nil else { return false }
            return !name.hasSuffix("_FILE") || keys[String(name.dropLast("_FILE".count))] == nil
        }
        guard !unknown.isEmpty else { return [] }
        // Without the prefix, which would make short names look alike.
        let names = keys.keys.map { String($0.dropFirst(begin.count)) }.sorted()
        let candidates = names + names.map { $0 + "_FILE" }
        return unknown.sorted().map { name in
            let near = Suggestion.nearest(to: String(name.dropFirst(begin.count)), among: candidates)
            return (name, near.map { begin + $0 })
        }
    }

    /// Returns those of the unknown variables that may be meant for a key.
    static func unknown(
        near key: SettingKey, among variables: some Sequence<String>, declared keys: [String: SettingKey],
        prefix: String
    ) -> [(name: String, nearest: String?)] {
        let (name, begin) = (Self.name(of: key, prefix: prefix), prefix + "_")
        let short = String(name.dropFirst(begin.count))
        // Few are near this key: the others are not compared with every key.
        let near = variables.filter {
            Suggestion.nearest(to: String($0.dropFirst(begin.count)), among: [short, short + "_FILE"]) != nil
        }
        return unknown(among: near, declared: keys, prefix: prefix)
            .filter { $0.nearest == name || $0.nearest == name + "_FILE" }
    }
}

/// The error for a prefix that would not separate a program's variables from others.
struct EnvironmentPrefixError: Error, Equatable, CustomStringConvertible {
    let prefix: String

    var description: String {
        """
        \(prefix.debugDescription) can't be the prefix of environment variables: it must consist of the letters A to Z, \
        digits and underscores, begin with a letter, and not end with an underscore, such as “APP”.
        """
    }

    static func check(_ prefix: String) throws(EnvironmentPrefixError) {
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard let first = prefix.utf8.first, letters.contains(first), prefix.utf8.last != UInt8(ascii: "_"),
            prefix.utf8.allSatisfy({ letters.contains($0) || $0.isDigit || $0 == UInt8(ascii: "_") })
        else { throw EnvironmentPrefixError(prefix: prefix) }
    }
}
