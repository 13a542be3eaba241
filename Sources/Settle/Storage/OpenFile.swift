#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store's place among the files that are open, from the moment in which its opening begins until its storage is closed.
final class OpenFile: Sendable {
    /// What identifies the file.
    let path: String
    private let files: OpenFiles

    init(path: String, files: OpenFiles) {
        self.path = path
        self.files = files
    }

    /// The last handle could not be closed, and is open again. Told once it is.
    func closingFailed() {
        files.closingFailed(self)
    }

    /// The storage is closed, or could not be when the store went away: the file can be opened anew.
    func end() {
        files.end(self)
    }

    /// What identifies a file: different spellings of its path, and links to it, are one file. Asks the file system.
    static func path(of file: URL) -> String {
        let path = FilePath(file.absoluteURL.standardizedFileURL.path)
        // The file need not exist yet, so Foundation can't resolve the whole path.
        let real = (try? FileOperations(POSIXSystemCalls()).resolve(path).resolved) ?? path
        let folder = URL(filePath: real.folder.text).resolvingSymlinksInPath()
        return folder.appending(path: real.name).path
    }
}
