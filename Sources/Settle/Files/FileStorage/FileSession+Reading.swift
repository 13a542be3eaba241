extension FileSession {
    /// - Returns: `nil` if there is no such file. Every other obstacle is an error.
    func read(_ path: FilePath) throws(StorageError) -> FileReading? {
        let descriptor: FileDescriptor
        do {
            descriptor = try operations.open(path, .read)
        } catch {
            guard error.cause == .notFound else { throw .unreadable(path, error) }
            return nil
        }
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? operations.close(descriptor, at: path) }
        let status: FileStatus
        var bytes: [UInt8] = []
        // Before the file is read: what changes from now on may show in the bytes, and must show in the signature.
        let now = wallTime(isExact: true)
        do {
            status = try operations.status(of: descriptor, at: path)
            if status.kind == .file && status.size <= Self.sizeLimit {
                bytes = try operations.readAll(
                    descriptor, at: path, expecting: Int(status.size), limit: Self.sizeLimit)
            }
        } catch {
            throw .unreadable(path, error)
        }
        guard status.kind == .file else { throw .unreadable(path, "it is not a regular file") }
        guard max(Int(status.size), bytes.count) <= Self.sizeLimit else {
            throw .unreadable(path, "it exceeds the limit of \(Self.sizeLimit) bytes")
        }
        return FileReading(
            bytes: bytes, status: status, version: FileVersion(of: bytes),
            isSettled: FileSignature(status).isSettled(at: now))
    }

    /// The file; `nil` also if something else has its name by now, or if it is empty and there was none before.
    func readKnown() throws(StorageError) -> FileReading? {
        guard (try? isFileMissing()) != true, let reading = try read(names.file) else { return nil }
        return file.version == .absent && reading.bytes.isEmpty ? nil : reading
    }

    /// The records of the journal, and what is wrong with it.
    struct JournalReading {
        var records: [(offset: Int, record: JournalRecord)] = []
        var damage: [JournalDamage] = []
        /// Behind the last record stands something that is none: the end is missing.
        var isTorn = false
        /// The whole journal is damaged, or was never begun.
        var isUnusable = false
        /// A newer version of this library has written it.
        var newerVersion: JournalError?
        var bytes: [UInt8] = []

        /// Whether it was begun where there was no file.
        var beginsWithoutFile: Bool {
            guard case .checkpointed(.absent, _)? = records.first?.record.content else { return false }
            return true
        }

        /// Whether a place of a history is one of this journal.
        func contains(_ token: ChangeToken, _ header: JournalHeader?) -> Bool {
            header?.beginning == token
                || records.contains { $0.record.content.transactions?.token(in: token.history) == token }
        }

        /// Of which the records tell.
        var keys: Set<SettingKey> {
            Set(records.flatMap { $0.record.batch?.entries.map(\.key) ?? [] })
        }
    }

    /// Opens the journal and reads all of it.
    ///
    /// - Returns: `nil` if there is none.
    mutating func readJournal() throws(StorageError) -> JournalReading? {
        let isThere: Bool
        do throws(FileError) {
            isThere = try journal.open()
        } catch {
            throw .unreadable(journal.path, error)
        }
        return isThere ? try rereadJournal() : nil
    }

    /// Reads all of the journal that is open.
    mutating func rereadJournal() throws(StorageError) -> JournalReading {
        let reading: JournalReading
        do throws(FileError) {
            reading = try scanJournal()
        } catch {
            throw .unreadable(journal.path, error)
        }
        if let newer = reading.newerVersion { throw .unreadable(journal.path, "\(newer)") }
        return reading
    }

    /// The same, for a caller that has another error for what can't be read, and treats a newer version as an unusable
    /// one.
    mutating func scanJournal() throws(FileError) -> JournalReading {
        var reading = JournalReading()
        reading.bytes = try journal.readAll(limit: Self.sizeLimit)
        let header: JournalHeader
        do throws(JournalError) {
            header = try reading.bytes.withUnsafeBufferPointer { (bytes) throws(JournalError) in
                try JournalHeader.decode(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            reading.isUnusable = true
            switch error {
            case .newerVersion:
                reading.newerVersion = error
                return reading
            case .empty: reading.bytes = []
            case .damaged: reading.damage = [JournalDamage(offset: 0, keys: nil)]
            }
            journal.take(nil, .start(of: 0), nil, durableEnd: 0)
            return reading
        }
        let start = JournalPosition.start(of: header.generation)
        let scan = reading.bytes.withUnsafeBytes { bytes in
            JournalScan.salvage(UnsafeRawBufferPointer(rebasing: bytes[start.offset...]), at: start.offset, from: start)
        }
        reading.records = scan.records
        // A journal begins with a record. One without was made by a process that came no further.
        reading.isUnusable = scan.records.isEmpty && scan.damage.isEmpty
        reading.damage = scan.damage
        reading.isTorn = scan.tail == .torn
        if scan.damage.isEmpty { reading.bytes = [] }
        let durableEnd = scan.records.reduce(0) { max($0, $1.record.durableEnd) }
        // A journal is synced after its name has been made durable.
        repairs.set(.synchronizeNames, isPending: durableEnd == 0)
        journal.take(header, scan.end, scan.records.token(after: header.beginning), durableEnd: durableEnd)
        return reading
    }
}

/// The readable file as it was found.
struct FileReading: Sendable {
    var bytes: [UInt8]
    var status: FileStatus
    var version: FileVersion
    /// Whether a later change must show in the file's signature.
    var isSettled: Bool

    var signature: FileSignature { FileSignature(status) }
}
