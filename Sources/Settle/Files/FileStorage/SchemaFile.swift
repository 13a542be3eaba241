extension FileStorage {
    /// The value of `"$schema"` in the file: the location of its schema, relative to it. `nil` if the file is not JSON.
    var schemaLocation: SettingValue? {
        withLock { $0.spelling.format == .json ? .string("./\($0.names.schema.name)") : nil }
    }
}

/// The JSON Schema beside a settings file.
struct SchemaFile {
    let operations: FileOperations
    /// The names of the settings file.
    let names: FileNames

    var path: FilePath { names.schema }

    /// Replaces the schema atomically, unless it is the same already.
    func write(_ bytes: [UInt8], for owner: FileStatus.Owner?) throws(StorageError) {
        if contents(limit: bytes.count) == bytes { return }
        var replacement = FileReplacement(operations, names: names.names(ofCompanion: path), owner: owner)
        do {
            try operations.makeFolders(path.folder)
            try replacement.run(bytes)
        } catch {
            throw .saveFailed(path, error, isInPlace: replacement.isInPlace)
        }
    }

    private func contents(limit: Int) -> [UInt8]? {
        guard let found = try? operations.open(path, .read) else { return nil }
        defer { try? operations.close(found, at: path) }
        return try? operations.readAll(found, at: path, limit: limit)
    }
}
