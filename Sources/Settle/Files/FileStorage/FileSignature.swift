/// The operating system's metadata that shows, without reading a file, whether it may have changed.
///
/// A change within the same tick of the file system's clock as the previous change leaves the signature as it is. So it
/// only proves that nothing has changed once the last change is older than a tick.
struct FileSignature: Sendable, Equatable {
    private let identity: FileStatus.Identity
    private let size: Int64
    private let contentsChanged: Int64
    private let statusChanged: Int64

    /// In seconds: longer than a tick of any file system that has times finer than seconds.
    private static let tick = 0.05

    init(_ status: FileStatus) {
        identity = status.identity
        size = status.size
        contentsChanged = status.contentsChanged
        statusChanged = status.statusChanged
    }

    /// Returns whether a later change must show in the signature.
    ///
    /// - Parameter now: Wall time in seconds since 2001, when the file was checked.
    func isSettled(at now: Double) -> Bool {
        let age = now - (Double(statusChanged) / 1e9 - 978_307_200)
        // A time in the future proves nothing. The file system may only know whole seconds.
        guard age > Self.tick else { return false }
        return statusChanged % 1_000_000_000 != 0 || age > 2
    }
}
