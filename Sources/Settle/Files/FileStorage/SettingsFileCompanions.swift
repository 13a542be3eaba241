/// The files with values beside a settings file, as the file system has them.
struct SettingsFileCompanions: Sendable {
    let operations: FileOperations
    let names: FileNames
    let spelling: FileSpelling
    /// The owner of new files.
    let owner: FileStatus.Owner?

    // MARK: The previous version

    /// - Returns: The newest one that is not damaged; `nil` if there is none.
    func earlierVersion() throws(StorageError) -> (tree: SettingTree, reading: FileReading)? {
        for path in names.earlierVersions {
            guard operations.kindOfReplacement(of: path) == nil, let reading = try operations.read(path),
                let tree = try? spelling.decode(reading.bytes)
            else { continue }
            return (tree, reading)
        }
        return nil
    }

    // MARK: Before a migration

    /// Writes values for people, in place of the earlier ones. Programs never read them back.
    func keepVersion(_ tree: SettingTree) throws(StorageError) {
        let bytes = try spelling.encode(tree)
        var replacement = FileReplacement(operations, names: names, owner: owner)
        do throws(FileError) {
            try operations.makeFolders(names.stateFolder)
            try replacement.run(bytes, at: names.beforeMigration)
        } catch {
            throw .notSaved(names.beforeMigration, error)
        }
    }

    // MARK: State

    func replaceState(with bytes: [UInt8]) throws(StorageError) {
        var replacement = FileReplacement(operations, names: names.names(ofCompanion: names.state), owner: owner)
        do throws(FileError) {
            try replacement.run(bytes)
        } catch {
            throw .saveFailed(names.state, error, isInPlace: replacement.isInPlace)
        }
    }

    /// Renames an unreadable state file, before a new one replaces it.
    func setStateAside() throws(StorageError) {
        guard let reading = try operations.read(names.state), (try? spelling.decode(reading.bytes)) == nil else {
            return
        }
        let aside = FilesPutAside(operations: operations, names: names)
        let ofState = names.names(ofCompanion: names.state)
        _ = try StorageError.saving(names.state, aside.move(names.state, to: ofState.corrupt))
    }

    // MARK: Traces

    /// Returns whether the file, or one beside it except the journal, has a value at a key or within it.
    func hasTraces(of key: SettingKey) throws(StorageError) -> Bool {
        for path in [names.file, names.state] + names.earlierVersions + [names.beforeMigration] {
            guard operations.kindOfReplacement(of: path) == nil, let reading = try operations.read(path),
                let tree = try? spelling.decode(reading.bytes)
            else { continue }
            if tree[key] != nil { return true }
        }
        return false
    }
}

extension FileSession {
    var companions: SettingsFileCompanions {
        SettingsFileCompanions(operations: operations, names: names, spelling: spelling, owner: file.owner)
    }

    /// Returns whether a file or the journal has a value at a key or within it, or has had one.
    func hasTraces(of key: SettingKey) throws(StorageError) -> Bool {
        if try companions.hasTraces(of: key) { return true }
        return try knownRecords().contains { $0.record.content.hasTraces(of: key) }
    }
}

extension JournalRecord.Content {
    fileprivate func hasTraces(of key: SettingKey) -> Bool {
        if case .base(let base) = self {
            return base.tree[key] != nil || base.mirrors.contains { $0.difference.contains { $0.hasTraces(of: key) } }
        }
        if case .state(let state) = self {
            return state.mirrors.contains { $0.difference.contains { $0.hasTraces(of: key) } }
        }
        return batch?.entries.contains { $0.hasTraces(of: key) } == true
    }
}

extension JournalEntry {
    fileprivate func hasTraces(of other: SettingKey) -> Bool {
        var tree = SettingTree()
        tree[key] = value
        return tree[other] != nil
    }
}
