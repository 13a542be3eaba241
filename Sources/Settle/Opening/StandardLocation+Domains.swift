#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the files of the standard domains are.
extension StandardLocation {
    /// This machine's file beside that of a store: `settings@<name of the machine>.json`.
    func hostFile(forStore name: String, besides file: URL?) throws(StorageError) -> URL {
        let standard = try self.file(forStore: name)
        let file = file ?? standard
        let host = ProcessInfo.processInfo.hostName.replacing("/", with: "-")
        let name = "\(file.deletingPathExtension().lastPathComponent)@\(host)"
        let ending = file.pathExtension.isEmpty ? "" : ".\(file.pathExtension)"
        return file.deletingLastPathComponent().appending(path: name + ending, directoryHint: .notDirectory)
    }

    /// The file for all programs of the user.
    var globalFile: URL { URL(filePath: folder.appending("settle").appending("global.json").text) }

    /// An administrator's defaults for a store.
    func systemFile(forStore name: String) -> URL { URL(filePath: "/etc/settle/\(name).json") }

    /// Where an administrator locks settings.
    var managedFolder: FilePath { FilePath("/etc/settle/managed") }
}
