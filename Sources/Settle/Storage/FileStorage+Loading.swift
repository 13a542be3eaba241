extension FileStorage {
    /// Bytes as they were read, and from which file.
    struct Reading {
        var bytes: [UInt8]
        var identity: FileStatus.Identity
    }

    /// - Parameter attempts: How often to read again when the file turns out to have been replaced in the meantime.
    func load(into state: inout FileStorageState, attempts: Int = 3) throws(StorageError) -> StorageContents {
        let names = try resolvedNames()
        guard let reading = try read(names.file) else {
            state.loaded(SettingTree(), from: names, .absent, format: chosenFormat ?? formatByName)
            return StorageContents(outcome: .absent)
        }
        let damage: any Error
        do {
            let tree = try decode(reading.bytes)
            state.loaded(tree, from: names, .unknown, format: format(toReplace: reading.bytes))
            return StorageContents(tree: tree, outcome: .intact)
        } catch {
            damage = error
        }
        if let contents = try recover(from: damage, in: reading, names, &state) { return contents }
        guard attempts > 1 else {
            throw .unreadable(names.file, "it is damaged, and other programs keep replacing it")
        }
        return try load(into: &state, attempts: attempts - 1)
    }

    private func resolvedNames() throws(StorageError) -> FileNames {
        do {
            return FileNames(try operations.followLinks(path))
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// - Returns: `nil` if there is no such file. Every other obstacle is an error.
    func read(_ file: FilePath) throws(StorageError) -> Reading? {
        let descriptor: FileDescriptor
        do {
            descriptor = try operations.open(file, .read)
        } catch {
            guard error.cause == .notFound else { throw .unreadable(file, error) }
            return nil
        }
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? operations.close(descriptor, at: file) }
        let status: FileStatus
        var bytes: [UInt8] = []
        do {
            status = try operations.status(of: descriptor, at: file)
            if status.kind == .file && status.size <= Self.sizeLimit {
                bytes = try operations.readAll(descriptor, at: file, limit: Self.sizeLimit)
            }
        } catch {
            throw .unreadable(file, error)
        }
        guard status.kind == .file else { throw .unreadable(file, "it is not a regular file") }
        guard max(Int(status.size), bytes.count) <= Self.sizeLimit else {
            throw .unreadable(file, "it has more than the \(Self.sizeLimit) bytes that a settings file may have")
        }
        return Reading(bytes: bytes, identity: status.identity)
    }

    func decode(_ bytes: [UInt8]) throws -> SettingTree {
        try (FileFormat.detect(bytes) ?? chosenFormat ?? formatByName).decode(bytes)
    }

    func format(toReplace bytes: [UInt8]) -> FileFormat {
        chosenFormat ?? FileFormat.detect(bytes) ?? formatByName
    }

    var formatByName: FileFormat {
        path.name.hasSuffix(".plist") ? .propertyListXML : .json
    }
}
