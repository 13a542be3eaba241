/// Environment variables with a prefix. Which of them count depends on the settings that are declared.
final class EnvironmentSource: DomainSource {
    fileprivate struct State: Sendable {
        var keys: [String: SettingKey] = [:]
        var tree = SettingTree()
        var places: [SettingKey: String] = [:]
        var problems: [String] = []
    }

    let prefix: String
    private let variables: [String: String]
    private let state = LockedValue(State())
    private static let sizeLimit = 1 << 20

    /// - Parameter variables: All of the environment.
    init(prefix: String, variables: [String: String]) throws(EnvironmentPrefixError) {
        try EnvironmentPrefixError.check(prefix)
        self.prefix = prefix
        self.variables = variables.filter { $0.key.hasPrefix(prefix) }
    }

    /// Looks up the variables of keys that are about to be declared. May read files.
    ///
    /// - Throws: ``SpellingCollision`` if two keys have the same variable.
    func look(for keys: [SettingKey]) throws -> EnvironmentValues {
        let known = try state.withLock { state in
            // The values of these depend on each other.
            try keys.flatMap { key throws(SpellingCollision) -> [SettingKey] in
                let name = EnvironmentNames.name(of: key, prefix: prefix)
                if let other = state.keys[name], other != key { throw SpellingCollision(name, other, key) }
                let base = name.hasSuffix("_FILE") ? state.keys[String(name.dropLast("_FILE".count))] : nil
                return [base, state.keys[name + "_FILE"]].compactMap { $0 }
            }
        }
        return EnvironmentValues(variables, names: try EnvironmentNames(prefix: prefix, keys: keys + known)) { path in
            try FileOperations(ReadOnlySystemCalls(POSIXSystemCalls()))
                .contents(of: FilePath(path), limit: Self.sizeLimit)
        }
    }

    /// - Parameter values: What a look for the keys has found.
    /// - Returns: `nil` if nothing has changed.
    func declare(_ keys: [SettingKey], _ values: EnvironmentValues) -> DomainContents? {
        state.withLock { state in
            var isChanged = false
            for key in keys { state.keys[EnvironmentNames.name(of: key, prefix: prefix)] = key }
            for key in values.looked where state.tree[key] != values.tree[key] {
                isChanged = true
                state.tree[key] = values.tree[key]
                state.places[key] = values.places[key]
            }
            state.problems += values.problems
            return isChanged || !values.problems.isEmpty ? state.contents : nil
        }
    }

    func load() throws(StorageError) -> DomainContents { state.withLock { $0.contents } }

    func place(of key: SettingKey) -> String {
        state.withLock { state in
            if let place = state.places[key] { return place }
            let name = EnvironmentNames.name(of: key, prefix: prefix)
            if case .dictionary? = state.tree[key] { return "variables that begin with \(name)_" }
            return "the variable \(name)"
        }
    }
}

extension EnvironmentSource.State {
    fileprivate var contents: DomainContents { DomainContents(tree, isText: true, problems: problems) }
}
