#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store's entry in the list of open files, from the start of its opening until its storage is closed.
final class RegisteredFile: StoreRegistration {
    private let place: FileLocation
    /// The path by which it was opened, and the files to which that led; `nil` if the path was not followed.
    let followed: (path: FilePath, place: FilePlace)?
    private let files: StoreRegistry

    init(_ place: FileLocation, _ followed: (path: FilePath, place: FilePlace)?, files: StoreRegistry) {
        self.place = place
        self.followed = followed
        self.files = files
    }

    /// The path under which it is listed.
    var path: FilePath { place.path }

    /// Returns whether the other path leads to the same file. Queries the file system.
    func isSameFile(as other: RegisteredFile, _ identities: FileIdentities) -> Bool {
        place.isSameFile(as: other.place, identities)
    }

    /// Returns whether a comparison with a path in a folder of this machine's disks may block.
    func mayBlock(comparedTo path: FilePath) -> Bool { place.mayBlock(comparedTo: path) }

    func closingFailed() {
        files.closingFailed(self)
    }

    func end() {
        files.end(self)
    }

    /// Follows the path of a file. Queries the file system.
    ///
    /// - Returns: `nil` if that fails: the storage will report why.
    static func follow(_ file: URL) -> (path: FilePath, place: FilePlace)? {
        let path = FilePath(file)
        guard let (resolved, links) = try? FileOperations(POSIXSystemCalls()).resolve(path) else { return nil }
        return (path, FilePlace(names: FileNames(resolved), links: links))
    }

    /// Follows the path of a file as ``follow(_:)`` does, if that needs only what the system has in memory. If the file
    /// is a link, opening it fails.
    static func follow(_ file: URL, by calls: CachedSystemCalls) -> (path: FilePath, place: FilePlace)? {
        let path = FilePath(file)
        return calls.place(of: path).map { (path, $0) }
    }
}
