/// A secret store as a domain: the secrets that the groups in use declare.
final class SecretStoreSource: LookupDomainSource {
    /// The result of reading some keys.
    typealias Found = [SettingKey: Result<String?, StorageError>]

    private struct State: Sendable {
        /// The keys that each load reads.
        var declared: Set<SettingKey> = []
        /// The secrets of the declared keys that have been read, as they were last read.
        var secrets: [SettingKey: String?] = [:]
        /// For each key that could not be read, a sentence. Its last secret stays.
        var problems: [SettingKey: String] = [:]

        mutating func adopt(_ result: Result<String?, StorageError>, of key: SettingKey) {
            guard declared.contains(key) else { return }
            switch result {
            case .success(let secret):
                secrets.updateValue(secret, forKey: key)
                problems[key] = nil
            case .failure(let error):
                if secrets[key] == nil { secrets.updateValue(nil, forKey: key) }
                problems[key] = error.description
            }
        }
    }

    private let store: any SecretStore
    private let state = LockedValue(State())
    /// Held while the declared keys are read again, and by a whole update, which takes the writer's lock within it.
    private let access = Lock()

    init(_ store: any SecretStore) {
        self.store = store
    }

    // MARK: Reading

    func declare(_ keys: [LookupKey]) {
        let new = state.withLock { state in
            let unread = keys.filter { $0.isSecret && state.secrets[$0.key] == nil }.map(\.key)
            // Before they are read, so that a load that begins in the meantime reads them too.
            state.declared.formUnion(unread)
            return unread
        }
        // Without `access`: an update, which has it, may wait for the writer's lock. No key is written before it is
        // declared.
        let found = read(new)
        state.withLock { state in
            // A load may have read a newer secret in the meantime.
            for (key, result) in found where state.secrets[key] == nil { state.adopt(result, of: key) }
        }
    }

    /// Gives up keys that are declared as settings other than secrets now.
    func forget(_ keys: [SettingKey]) {
        guard !keys.isEmpty else { return }
        state.withLock { state in
            for key in keys where state.declared.remove(key) != nil {
                state.secrets.removeValue(forKey: key)
                state.problems[key] = nil
            }
        }
    }

    func load() throws(StorageError) -> DomainContents {
        access.withLock { readAgain() }
        return contents
    }

    var contents: DomainContents {
        state.withLock { state in
            var contents = DomainContents(isText: true)
            for (key, secret) in state.secrets.sorted(by: \.key) {
                if let secret { contents.tree[key] = .string(secret) }
            }
            contents.problems = state.problems.sorted(by: \.key).map(\.value)
            return contents
        }
    }

    /// Reads all declared keys again. Requires ``exclusively(_:)``, or that the caller has taken the same lock.
    func readAgain() { adopt(read(state.withLock { $0.declared })) }

    /// Reads keys, and leaves ``contents`` as it is.
    func read(_ keys: some Sequence<SettingKey>) -> Found {
        var found: Found = [:]
        for key in keys {
            do throws(StorageError) {
                let secret = try store.secret(forKey: key)
                found[key] = .success(secret)
            } catch {
                found[key] = .failure(error)
            }
        }
        return found
    }

    /// Takes over what reading has found, in one step, so that no reader of ``contents`` finds a part of a change.
    ///
    /// - Parameter written: The secrets that were written before, which are those of the keys that can't be read again.
    func adopt(_ found: Found, after written: [SettingKey: String?] = [:]) {
        state.withLock { state in
            for (key, secret) in written { state.adopt(.success(secret), of: key) }
            for (key, result) in found { state.adopt(result, of: key) }
        }
    }

    // MARK: Writing

    /// Runs a closure during which no other update and no load of this process comes between.
    func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        access.lock()
        defer { access.unlock() }
        return try body()
    }

    /// Writes secrets, all of them or none: if one can't be written, those before it get their earlier secrets back.
    /// Leaves ``contents`` as it is: the caller reads the keys again. Requires ``exclusively(_:)``.
    ///
    /// A secret that can't be read is not overwritten, because it could not be taken back; it can be removed.
    ///
    /// - Throws: ``StorageError`` with the reason, and with the keys that could not be taken back.
    func write(_ secrets: [SettingKey: String?]) throws(StorageError) {
        let (before, problems) = state.withLock { ($0.secrets, $0.problems) }
        let changes = secrets.sorted(by: \.key)
        for (key, secret) in changes where secret != nil {
            guard let problem = problems[key] else { continue }
            throw StorageError(
                .unreadable, "“\(key)” is not overwritten, because it can't be read; remove it first. \(problem)")
        }
        var written: [(key: SettingKey, secret: String?)] = []
        // Removals that can't be taken back come last.
        for (key, secret) in changes.filter({ problems[$0.key] == nil }) + changes.filter({ problems[$0.key] != nil }) {
            written.append((key, secret))
            do throws(StorageError) {
                try store.setSecret(secret, forKey: key)
            } catch {
                var failure = error
                let left = written.reversed().filter { change in
                    problems[change.key] != nil
                        || !restore(before[change.key] ?? nil, over: change.secret, at: change.key)
                }
                if !left.isEmpty {
                    let list = left.map(\.key).sorted().map { "“\($0)”" }.joined(separator: ", ")
                    failure.description += " The earlier secret could not be restored: \(list)."
                }
                throw failure
            }
        }
    }

    /// - Parameter written: The secret that was to replace it.
    /// - Returns: Whether the secret store has the secret again, or one that another process has written since.
    private func restore(_ secret: String?, over written: String?, at key: SettingKey) -> Bool {
        do throws(StorageError) {
            // A write that has failed has usually changed nothing, and a second one would fail too.
            let now = try store.secret(forKey: key)
            guard now != secret, now == written else { return true }
            try store.setSecret(secret, forKey: key)
            return true
        } catch {
            return false
        }
    }

    // MARK: Watching

    func watch(_ changed: @escaping @Sendable () -> Void) {
        store.watch(changed)
        // For changes since the first load.
        changed()
    }

    func place(of key: SettingKey) -> String { store.location(of: key) }

    func close() async { await store.close() }
}
