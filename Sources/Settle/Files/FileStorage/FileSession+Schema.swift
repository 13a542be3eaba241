extension FileSession {
    /// Replaces the schema beside the file, unless it is the same already.
    ///
    /// - Returns: The schema's path.
    func writeSchema(_ bytes: [UInt8]) throws(StorageError) -> FilePath {
        let names = FileNames(self.names.schema)
        if schema(at: names.file, limit: bytes.count) == bytes { return names.file }
        var replacement = FileReplacement(operations, names: names, previous: .drop, owner: file.owner)
        do {
            try operations.makeFolders(names.folder)
            _ = try replacement.run(bytes)
        } catch {
            throw .saveFailed(names.file, error, isInPlace: replacement.isInPlace)
        }
        return names.file
    }

    private func schema(at path: FilePath, limit: Int) -> [UInt8]? {
        guard let found = try? operations.open(path, .read) else { return nil }
        defer { try? operations.close(found, at: path) }
        return try? operations.readAll(found, at: path, expecting: limit, limit: limit)
    }
}
