/// A secret store as a domain: the secrets that the groups in use declare.
final class SecretStoreSource: LookupDomainSource {
    private struct State: Sendable {
        /// The secrets of all declared keys, as they were last read.
        var secrets: [SettingKey: String?] = [:]
        /// For each key that could not be read, a sentence. Its last secret stays.
        var problems: [SettingKey: String] = [:]
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
            keys.filter { $0.isSecret && state.secrets[$0.key] == nil }.map(\.key)
        }
        // Without `access`: an update, which has it, may wait for the writer's lock. Nobody writes a key before it is
        // declared.
        for key in new { readAgain(key) }
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
    func readAgain() {
        for key in state.withLock({ Array($0.secrets.keys) }) { readAgain(key) }
    }

    private func readAgain(_ key: SettingKey) {
        do throws(StorageError) {
            let secret = try store.secret(forKey: key)
            state.withLock { state in
                state.secrets.updateValue(secret, forKey: key)
                state.problems[key] = nil
            }
        } catch {
            let problem = error.description
            state.withLock { state in
                if state.secrets[key] == nil { state.secrets.updateValue(nil, forKey: key) }
                state.problems[key] = problem
            }
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
    /// Requires ``exclusively(_:)``.
    ///
    /// - Throws: ``StorageError`` with the reason, and with the keys that could not be taken back. In any case
    ///   ``contents`` are then those of the secret store.
    func write(_ secrets: [SettingKey: String?]) throws(StorageError) {
        let before = state.withLock { $0.secrets }
        var written: [SettingKey] = []
        defer { for key in written { readAgain(key) } }
        for (key, secret) in secrets.sorted(by: \.key) {
            written.append(key)
            do throws(StorageError) {
                try store.setSecret(secret, forKey: key)
            } catch {
                var failure = error
                let left = written.reversed().filter { !restore(before[$0] ?? nil, at: $0) }
                if !left.isEmpty {
                    let list = left.sorted().map { "“\($0)”" }.joined(separator: ", ")
                    failure.description += " The earlier secret could not be restored: \(list)."
                }
                throw failure
            }
        }
    }

    /// - Returns: Whether the secret store has the secret again.
    private func restore(_ secret: String?, at key: SettingKey) -> Bool {
        do throws(StorageError) {
            // A write that has failed has usually changed nothing, and a second one would fail too.
            if try store.secret(forKey: key) == secret { return true }
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
