/// What is known of the readable file.
///
/// Pure: it is told what was read, written, or said by a record of the journal, and says what follows.
struct KnownFile: Sendable {
    /// What is known about the bytes that stand at the file's path.
    enum Standing: Sendable, Hashable {
        case absent
        /// They are no settings. A copy has been put aside.
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
    /// The signature of the file when it was last looked at.
    private var examinedSignature: FileSignature?
    private(set) var size = 0
    /// To whom the file belongs, or belonged when it was last there. What is made beside it belongs to the same, or the
    /// user of a file that a superuser has written could not open it any more.
    private(set) var owner: FileStatus.Owner?
    /// A version that can't be used, and is not overwritten while it stands there; and whether the journal and the
    /// version before have all values that are in force.
    private var rejected: (version: FileVersion, isSecured: Bool)?
    /// Whether the store has been told that the file has been removed.
    private var isAbsenceKnown = false

    // MARK: Looks

    /// Whether the signature alone can tell that nothing has changed.
    var hasSignature: Bool { signature != nil && rejected == nil }

    /// - Parameter status: What was asked for because of ``hasSignature``.
    /// - Returns: Whether the file still is the version that is known.
    mutating func recognize(_ status: FileStatus?) -> Bool {
        examinedSignature = status.map { FileSignature($0) } == signature ? signature : nil
        return examinedSignature != nil
    }

    /// - Parameters:
    ///   - reading: What stands there; `nil` if that is nothing.
    ///   - begun: The checkpoints that were begun and have not been confirmed.
    mutating func examine(_ reading: FileReading?, begun: [PendingRepairs.Checkpoint]) -> Finding {
        guard let reading else { return version == .absent ? .current : .absent }
        isAbsenceKnown = false
        examinedSignature = reading.signature
        if reading.version == version || begun.contains(where: { $0.version == reading.version }) {
            rejected = nil
            // What is edited from now on is compared with this one.
            version = reading.version
            if begun.isEmpty, reading.isSettled { signature = reading.signature }
            return .current
        }
        return rejected?.version == reading.version ? .rejected : .changed(reading)
    }

    /// Whether something else than a file has its name, or nothing, although there was one.
    func isMissing(_ status: FileStatus?) -> Bool {
        switch status?.kind {
        case .file, .symbolicLink: false
        case .folder, .other, nil: version != .absent
        }
    }

    /// Whether what stands there just before the rename is what was looked at before.
    func mayBeReplaced(_ status: FileStatus) -> Bool {
        examinedSignature.map { $0 == FileSignature(status) } ?? (version != .absent || status.size == 0)
    }

    /// What becomes of this version when it is replaced: only a good one is kept, and never an unsynced one in place of
    /// a synced one.
    var previous: FileReplacement.Previous {
        switch standing {
        case .absent, .damaged: .drop
        case .unknown: .syncAndKeep
        case .synced: .keep
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
        size = reading?.bytes.count ?? 0
        owner = reading?.status.owner ?? owner
        rejected = nil
    }

    /// The values of an edit have been merged, which the next write may replace.
    mutating func didMergeEdit(_ reading: FileReading) {
        didMerge(reading, reading.version)
        examinedSignature = reading.signature
    }

    mutating func didPutAside(_ version: FileVersion) {
        self.version = version
        standing = .damaged
        signature = nil
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
        examinedSignature = nil
        rejected = nil
        return isNews
    }

    // MARK: What can't be used

    mutating func reject(_ version: FileVersion) {
        rejected = (version, isSecured: false)
        signature = nil
    }

    /// Whether a version stands there that can't be used, while others could not load what is in force.
    var isUnsecured: Bool { rejected?.isSecured == false }

    mutating func didSecure() { rejected?.isSecured = true }

    // MARK: What was written

    /// This process has told the journal that the file is a version.
    mutating func confirm(_ version: FileVersion) { self.version = version }

    /// The version that was confirmed last has just been written.
    mutating func didWrite(size: Int) {
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
    }
}
