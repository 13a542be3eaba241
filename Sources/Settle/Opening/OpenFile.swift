#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store's place among the files that are open, from the moment in which its opening begins until its storage is closed.
final class OpenFile: StoreRegistration {
    /// What identifies the file.
    let path: String
    private let files: OpenFiles

    init(path: String, files: OpenFiles) {
        self.path = path
        self.files = files
    }

    func closingFailed() {
        files.closingFailed(self)
    }

    func end() {
        files.end(self)
    }

    /// What identifies a file: different spellings of its path, and links to it, are one file. Asks the file system.
    static func path(of file: URL) -> String {
        let path = FilePath(file)
        // Without an answer, the storage will say why.
        return (try? FileOperations(POSIXSystemCalls()).resolve(path).resolved.text) ?? path.text
    }
}
