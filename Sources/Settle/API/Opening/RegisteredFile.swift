#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store's entry in the list of open files, from the start of its opening until its storage is closed.
final class RegisteredFile: StoreRegistration {
    private let place: FileLocation
    private let files: StoreRegistry

    init(_ place: FileLocation, files: StoreRegistry) {
        self.place = place
        self.files = files
    }

    /// The path under which it is listed.
    var path: FilePath { place.path }

    /// Returns whether the other path leads to the same file. Queries the file system.
    func isSameFile(as other: RegisteredFile, _ identities: FileIdentities) -> Bool {
        place.isSameFile(as: other.place, identities)
    }

    func closingFailed() {
        files.closingFailed(self)
    }

    func end() {
        files.end(self)
    }

    /// Returns the path of a file without links and dots. Queries the file system.
    static func path(of file: URL) -> FilePath {
        let path = FilePath(file)
        // If this fails, the storage will report why.
        return (try? FileOperations(POSIXSystemCalls()).resolve(path).resolved) ?? path
    }
}
