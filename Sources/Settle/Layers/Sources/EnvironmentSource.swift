#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Environment variables with a prefix: those of a process, or those in a file such as `.env`, whose changes are
/// followed. The declared settings determine which of them count. Files that `…_FILE` variables name are followed too.
final class EnvironmentSource: DomainSource {
    fileprivate struct State: Sendable {
        var variables: [String: String]
        var keys: [String: SettingKey] = [:]
        var tree = SettingTree()
        var places: [SettingKey: String] = [:]
        var problems: [SettingKey: String] = [:]
        /// How often the variables have been read.
        var generation = 0
    }

    let prefix: String
    private let file: FileDomainSource?
    /// For reading the file that a `…_FILE` variable names.
    private let operations: FileOperations
    private let followed: FollowedFiles
    private let state: LockedValue<State>
    private static let sizeLimit = 1 << 20
    /// How often to check the files that variables name without an event.
    private static let interval = Duration.seconds(30)

    /// - Parameter variables: All of the environment.
    convenience init(
        prefix: String, variables: [String: String], clock: any Clock<Duration> = ContinuousClock(),
        calls: any SystemCalls = POSIXSystemCalls(), watching: any FileWatching = SystemFileWatching.shared
    ) throws(EnvironmentPrefixError) {
        try self.init(prefix: prefix, variables, nil, clock, calls, watching)
    }

    /// - Parameters:
    ///   - file: May be missing, and may come and go.
    ///   - home: The home of the file's user, if that is another user.
    convenience init(prefix: String, file: URL, home: UserHome? = nil) throws(EnvironmentPrefixError) {
        let calls = home?.calls ?? POSIXSystemCalls()
        try self.init(
            prefix: prefix, file: file, calls: calls, watching: home?.watching ?? SystemFileWatching.shared)
    }

    convenience init(
        prefix: String, file: URL, clock: any Clock<Duration> = ContinuousClock(), calls: any SystemCalls,
        watching: any FileWatching
    ) throws(EnvironmentPrefixError) {
        let source = FileDomainSource(at: file, calls: calls, watching: watching) { bytes throws(FormatError) in
            let file = try EnvironmentFile(bytes)
            return (file.tree, file.lines)
        }
        try self.init(prefix: prefix, [:], source, clock, calls, watching)
    }

    private init(
        prefix: String, _ variables: [String: String], _ file: FileDomainSource?, _ clock: any Clock<Duration>,
        _ calls: any SystemCalls, _ watching: any FileWatching
    ) throws(EnvironmentPrefixError) {
        try EnvironmentPrefixError.check(prefix)
        self.prefix = prefix
        self.file = file
        operations = FileOperations(ReadOnlySystemCalls(calls))
        followed = FollowedFiles(operations, watching, interval: Self.interval, clock: clock)
        state = LockedValue(State(variables: variables.filter { $0.key.hasPrefix(prefix) }))
    }

    // MARK: Declaring

    /// The values of the variables for keys that are about to be declared.
    struct Look: Sendable {
        fileprivate let values: EnvironmentValues
        fileprivate let generation: Int
    }

    /// Looks up the variables of keys that are about to be declared. May read files.
    ///
    /// - Throws: ``SpellingCollision`` if two keys have the same variable.
    func look(for keys: [SettingKey]) throws -> Look {
        let (known, variables, generation) = try state.withLock { state in
            // These values depend on each other.
            let known = try keys.flatMap { key throws(SpellingCollision) -> [SettingKey] in
                let name = EnvironmentNames.name(of: key, prefix: prefix)
                if let other = state.keys[name], other != key { throw SpellingCollision(name, other, key) }
                let base = name.hasSuffix("_FILE") ? state.keys[String(name.dropLast("_FILE".count))] : nil
                return [base, state.keys[name + "_FILE"]].compactMap { $0 }
            }
            return (known, state.variables, state.generation)
        }
        let names = try EnvironmentNames(prefix: prefix, keys: keys + known)
        return Look(values: values(of: names, in: variables), generation: generation)
    }

    /// - Parameter look: The result of `look` for the keys.
    /// - Returns: `nil` if nothing has changed.
    func declare(_ keys: [SettingKey], _ look: Look) -> DomainContents? {
        // The next load follows these files, and finds changes from before that.
        defer { if !look.values.files.isEmpty { followed.report() } }
        return state.withLock { state in
            for key in keys { state.keys[EnvironmentNames.name(of: key, prefix: prefix)] = key }
            guard look.generation == state.generation else {
                // The file has been read again since then. At this stage, another lookup is rare enough to be made
                // under locks.
                state.take(values(of: EnvironmentNames(declared: state.keys), in: state.variables))
                return state.contents
            }
            var isChanged = false
            for key in look.values.looked {
                if state.problems[key] != look.values.problems[key] {
                    isChanged = true
                    state.problems[key] = look.values.problems[key]
                }
                guard state.tree[key] != look.values.tree[key] else { continue }
                isChanged = true
                state.tree[key] = look.values.tree[key]
                state.places[key] = look.values.places[key]
            }
            return isChanged ? state.contents : nil
        }
    }

    /// The variables that no declared key has, sorted, each with the nearest one that a key has.
    var unknownVariables: [(name: String, nearest: String?)] {
        let (variables, keys) = state.withLock { ($0.variables, $0.keys) }
        return EnvironmentNames.unknown(among: variables.keys, declared: keys, prefix: prefix)
    }

    /// Returns those of the unknown variables that may be meant for a key.
    func unknownVariables(near key: SettingKey) -> [(name: String, nearest: String?)] {
        let (variables, keys) = state.withLock { ($0.variables, $0.keys) }
        return EnvironmentNames.unknown(near: key, among: variables.keys, declared: keys, prefix: prefix)
    }

    private func values(of names: EnvironmentNames, in variables: [String: String]) -> EnvironmentValues {
        EnvironmentValues(variables, names: names) { [operations] path in
            try operations.contents(of: FilePath(path), limit: Self.sizeLimit)
        }
    }

    // MARK: Loading

    /// The values of the variables for all keys that are declared now.
    var contents: DomainContents { state.withLock { $0.contents } }

    /// - Throws: ``StorageError`` with the file, the line and the rule.
    func load() throws(StorageError) -> DomainContents {
        if let file {
            let variables = try file.load().tree.root
            state.withLock { state in
                state.variables = [:]
                // The order matters for two spellings of a name that Unicode considers equal.
                for case (let name, .string(let text)) in variables.sorted(by: { $0.key.precedesByBytes($1.key) })
                where name.hasPrefix(prefix) {
                    state.variables[name] = text
                }
                state.generation += 1
            }
        }
        // Another reading finds changes in files from before they were followed.
        while followed.setPaths(lookUpAgain()) {}
        return contents
    }

    /// Looks up the variables of all keys, without the lock, because a file may be slow.
    ///
    /// - Returns: The files that variables name.
    private func lookUpAgain() -> Set<FilePath> {
        while true {
            let (names, variables) = state.withLock { (EnvironmentNames(declared: $0.keys), $0.variables) }
            let found = values(of: names, in: variables)
            let isComplete = state.withLock { state in
                // Settings may have been declared meanwhile. The variables are the same: only a load replaces them.
                guard state.keys.count == names.variables.count else { return false }
                state.take(found)
                return true
            }
            if isComplete { return found.files }
        }
    }

    // MARK: Watching

    func watch(_ changed: @escaping @Sendable () -> Void) {
        file?.watch(changed)
        followed.begin(isChanged: { [weak self] in self?.isOutdated ?? false }, report: changed)
    }

    /// Whether a load would find other values in the files that variables name.
    private var isOutdated: Bool {
        let (names, variables) = state.withLock { (EnvironmentNames(declared: $0.keys), $0.variables) }
        let found = values(of: names, in: variables)
        return state.withLock { $0.tree != found.tree || $0.problems != found.problems }
    }

    func close() async {
        followed.end()
        await file?.close()
    }

    func place(of key: SettingKey) -> String {
        let name = EnvironmentNames.name(of: key, prefix: prefix)
        let (place, value, hasVariable) = state.withLock { ($0.places[key], $0.tree[key], $0.variables[name] != nil) }
        if let file, hasVariable || place == nil { return file.place(of: SettingKey(name: name)) }
        if let place { return place }
        if case .dictionary? = value { return "variables that begin with \(name)_" }
        return "the variable \(name)"
    }
}

extension EnvironmentSource.State {
    fileprivate var contents: DomainContents {
        DomainContents(tree, isText: true, problems: problems.sorted(by: \.key).map(\.value))
    }

    /// Takes over the values of all keys.
    fileprivate mutating func take(_ found: EnvironmentValues) {
        (tree, places, problems) = (found.tree, found.places, found.problems)
    }
}
