/// The knowledge about the readable file.
///
/// Pure: it is given what was read, written, or recorded in the journal, and decides what follows.
struct KnownFile: Sendable {
    /// The knowledge about the bytes at the file's path.
    enum Standing: Sendable, Hashable {
        case absent
        /// They are not settings. They are put aside before another version replaces them.
        case damaged
        /// They were read; whether they have reached stable storage is not known.
        case unknown
        /// They were synced.
        case synced
    }

    /// The result of a check of the file.
    enum Finding: Sendable {
        /// The version that is known, or one that a checkpoint has begun to write.
        case current
        /// There was a file, and there is none.
        case absent
        /// The version that has been found unusable.
        case rejected
        case changed(FileReading)
    }

    /// The version of the file whose values have been merged.
    private(set) var version = FileVersion.absent
    private(set) var standing = Standing.absent
    /// The signature of the file when it last was that version. `nil` while the signature can't distinguish another
    /// version from it.
    private(set) var signature: FileSignature?
    /// The signature of the file when it was last read or written. The same for most files that have not changed since.
    private var seen: FileSignature?
    private(set) var size = 0
    /// The owner of the file, also after its removal. New files beside it get the same owner. Otherwise the user of a
    /// file that a superuser has written could not open them any more.
    private(set) var owner: FileStatus.Owner?
    /// A version that can't be used, and is not overwritten while it is there.
    private var rejected: FileVersion?
    /// Whether the store has been notified that the file was removed.
    private var isAbsenceKnown = false

    // MARK: Checks

    /// Whether the current version of the file can't be used.
    var isRejected: Bool { rejected != nil }

    /// Whether the signature alone can show that nothing has changed.
    var hasSignature: Bool { signature != nil && rejected == nil }

    /// - Parameter status: The status that was read because of ``hasSignature``.
    /// - Returns: Whether the file is still the known version.
    func recognize(_ status: FileStatus?) -> Bool {
        signature != nil && status.map { FileSignature($0) } == signature
    }

    /// - Parameters:
    ///   - reading: The current file; `nil` if there is none.
    ///   - begun: The versions that were begun and have not been confirmed.
    mutating func examine(_ reading: FileReading?, begun: [FileVersion]) -> Finding {
        guard let reading else { return version == .absent ? .current : .absent }
        isAbsenceKnown = false
        if reading.version == version || begun.contains(reading.version) {
            rejected = nil
            // Later edits are compared with this version.
            version = reading.version
            seen = reading.signature
            if begun.isEmpty, reading.isSettled { signature = reading.signature }
            return .current
        }
        return rejected == reading.version ? .rejected : .changed(reading)
    }

    /// Returns whether the file may have changed since this process last read or wrote it, as far as its status shows
    /// at once.
    func hasChanged(_ status: FileStatus) -> Bool { seen != FileSignature(status) }

    /// Returns whether the file's name now belongs to something else than a file, or to nothing, although there was a
    /// file.
    func isMissing(_ status: FileStatus?) -> Bool {
        switch status?.kind {
        case .file, .symbolicLink: false
        case .folder, .pipe, .socket, .device, nil: version != .absent
        }
    }

    // MARK: Results of reading

    /// Records that the file's values have been merged.
    mutating func didMerge(_ reading: FileReading?, _ version: FileVersion) {
        // Reading back a version that was synced here does not make its durability uncertain.
        let isOurs = standing == .synced && self.version == version
        self.version = version
        standing = reading == nil ? .absent : isOurs ? .synced : .unknown
        signature = reading.flatMap { $0.isSettled ? $0.signature : nil }
        seen = reading?.signature
        size = reading?.bytes.count ?? 0
        owner = reading?.status.owner ?? owner
        rejected = nil
    }

    mutating func didFindDamaged(_ version: FileVersion) {
        self.version = version
        standing = .damaged
        signature = nil
    }

    /// Records that the damaged file is not there any more.
    mutating func forgetDamage() {
        // No file has this version, so the current file is examined.
        version = FileVersion(hash: version.hash, size: .max - 1)
        standing = .unknown
    }

    /// - Returns: Whether the store has not been notified yet.
    mutating func announceAbsence() -> Bool {
        defer { isAbsenceKnown = true }
        return !isAbsenceKnown
    }

    /// Records that there is no file any more.
    ///
    /// - Returns: Whether there was one, and the store has not been notified yet.
    mutating func forget() -> Bool {
        let isNews = version != .absent && announceAbsence()
        version = .absent
        standing = .absent
        signature = nil
        rejected = nil
        return isNews
    }

    // MARK: Unusable versions

    mutating func reject(_ reading: FileReading) {
        (rejected, seen) = (reading.version, reading.signature)
        signature = nil
    }

    // MARK: Results of writing

    /// Records that the file now durably has `version`.
    mutating func confirm(_ version: FileVersion) { self.version = version }

    /// Records that the version that was confirmed last has just been written.
    ///
    /// - Parameter status: Its status.
    mutating func didWrite(size: Int, _ status: FileStatus? = nil) {
        seen = status.map { FileSignature($0) }
        standing = .synced
        self.size = size
        // Only its contents can show whether it was changed within the same tick of the clock.
        signature = nil
        isAbsenceKnown = false
        rejected = nil
    }

    /// Follows a journal record that another process has written a version, whose bytes may not be on stable storage.
    mutating func follow(written version: FileVersion) {
        if version != self.version { standing = .unknown }
        follow(version)
    }

    /// Follows a journal record that the file has a version.
    mutating func follow(_ version: FileVersion) {
        self.version = version
        signature = nil
        seen = nil
    }
}
