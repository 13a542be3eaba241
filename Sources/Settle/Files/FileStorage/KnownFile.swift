/// What is known of the readable file.
///
/// Pure: it is told what was read, written, or said by a record of the journal, and says what follows.
struct KnownFile: Sendable {
    /// What is known about the bytes that stand at the file's path.
    enum Standing: Sendable, Hashable {
        case absent
        /// They are no settings. They are put aside before another version takes their place.
        case damaged
        /// They were read; whether they have reached stable storage is not known.
        case unknown
        /// They were synced.
        case synced
    }

    /// What a look at the file has found.
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
    /// The signature of the file when it last was that version. None while another version can't be told from it by
    /// that.
    private var signature: FileSignature?
    /// What the system said when the file was last read or written. Equal for most files that have not changed since.
    private var seen: FileSignature?
    private(set) var size = 0
    /// To whom the file belongs, or belonged when it was last there. What is made beside it belongs to the same, or the
    /// user of a file that a superuser has written could not open it any more.
    private(set) var owner: FileStatus.Owner?
    /// A version that can't be used, and is not overwritten while it stands there.
    private var rejected: FileVersion?
    /// Whether the store has been told that the file has been removed.
    private var isAbsenceKnown = false

    // MARK: Looks

    /// Whether a version stands there that can't be used.
    var isRejected: Bool { rejected != nil }

    /// Whether the signature alone can tell that nothing has changed.
    var hasSignature: Bool { signature != nil && rejected == nil }

    /// - Parameter status: What was asked for because of ``hasSignature``.
    /// - Returns: Whether the file still is the version that is known.
    func recognize(_ status: FileStatus?) -> Bool {
        signature != nil && status.map { FileSignature($0) } == signature
    }

    /// - Parameters:
    ///   - reading: What stands there; `nil` if that is nothing.
    ///   - begun: The versions that were begun and have not been confirmed.
    mutating func examine(_ reading: FileReading?, begun: [FileVersion]) -> Finding {
        guard let reading else { return version == .absent ? .current : .absent }
        isAbsenceKnown = false
        if reading.version == version || begun.contains(reading.version) {
            rejected = nil
            // What is edited from now on is compared with this one.
            version = reading.version
            seen = reading.signature
            if begun.isEmpty, reading.isSettled { signature = reading.signature }
            return .current
        }
        return rejected == reading.version ? .rejected : .changed(reading)
    }

    /// Whether the file may be another one since this process last read or wrote it, as far as the system tells at
    /// once.
    func hasChanged(_ status: FileStatus) -> Bool { seen != FileSignature(status) }

    /// Whether something else than a file has its name, or nothing, although there was one.
    func isMissing(_ status: FileStatus?) -> Bool {
        switch status?.kind {
        case .file, .symbolicLink: false
        case .folder, .pipe, .socket, .device, nil: version != .absent
        }
    }

    // MARK: What was found

    /// The file's values have been merged.
    mutating func didMerge(_ reading: FileReading?, _ version: FileVersion) {
        // Reading back what was synced here does not make it doubtful.
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

    /// What was damaged does not stand there any more.
    mutating func forgetDamage() {
        // No file has it, so that what stands there is looked at.
        version = FileVersion(hash: version.hash, size: .max - 1)
        standing = .unknown
    }

    /// - Returns: Whether the store has not been told yet.
    mutating func announceAbsence() -> Bool {
        defer { isAbsenceKnown = true }
        return !isAbsenceKnown
    }

    /// There is no file any more.
    ///
    /// - Returns: Whether there was one, and the store has not been told yet.
    mutating func forget() -> Bool {
        let isNews = version != .absent && announceAbsence()
        version = .absent
        standing = .absent
        signature = nil
        rejected = nil
        return isNews
    }

    // MARK: What can't be used

    mutating func reject(_ reading: FileReading) {
        (rejected, seen) = (reading.version, reading.signature)
        signature = nil
    }

    // MARK: What was written

    /// This process has told the journal that the file is a version.
    mutating func confirm(_ version: FileVersion) { self.version = version }

    /// The version that was confirmed last has just been written.
    ///
    /// - Parameter status: What the system says of it.
    mutating func didWrite(size: Int, _ status: FileStatus? = nil) {
        seen = status.map { FileSignature($0) }
        standing = .synced
        self.size = size
        // Whether it was changed within the same tick of the clock, only its contents can tell.
        signature = nil
        isAbsenceKnown = false
        rejected = nil
    }

    /// The journal says that another process has written a version, whose bytes may not be on stable storage.
    mutating func follow(written version: FileVersion) {
        if version != self.version { standing = .unknown }
        follow(version)
    }

    /// The journal says that the file is a version.
    mutating func follow(_ version: FileVersion) {
        self.version = version
        signature = nil
        seen = nil
    }
}
