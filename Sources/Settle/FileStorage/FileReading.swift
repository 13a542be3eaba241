/// The readable file as it was found.
struct FileReading: Sendable {
    var bytes: [UInt8]
    var status: FileStatus
    var version: FileVersion
    /// Whether a later change must show in the file's signature.
    var isSettled: Bool

    var signature: FileSignature { FileSignature(status) }
}
