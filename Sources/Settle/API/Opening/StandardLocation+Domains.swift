#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The standard locations of domains other than the application's own. A suite's location is the file of the other
/// store.
extension StandardLocation {
    /// Returns this machine's file, beside the application's: `settings@<host>.json`.
    ///
    /// The host is the first part of the machine's name, in lower case: the rest depends on the network that the
    /// machine is in.
    package static func hostFile(besides file: URL, host: String? = nil) -> URL {
        let label = (host ?? currentHostName()).prefix { $0 != "." }.lowercased()
        let isUsable = !label.isEmpty && !label.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        let name = "\(file.deletingPathExtension().lastPathComponent)@\(isUsable ? label : "localhost")"
        let ending = file.pathExtension.isEmpty ? "" : ".\(file.pathExtension)"
        return file.deletingLastPathComponent().appending(path: name + ending, directoryHint: .notDirectory)
    }

    /// Returns the file of an administrator's defaults: `/etc/settle/<name>.json`; on Apple platforms in
    /// `/Library/Application Support/settle`.
    ///
    /// `XDG_CONFIG_DIRS` is not read: an administrator's settings do not depend on a user's variables.
    static func systemFile(forStore name: String) throws(StorageError) -> URL {
        let location = StandardLocation(home: systemFolder, subfolder: "settle", override: nil)
        try location.check(name)
        return location.url("\(name).json")
    }

    private static var systemFolder: String {
        #if canImport(Darwin)
            "/Library/Application Support"
        #else
            "/etc"
        #endif
    }

    /// The folder with an administrator's files for all programs: `/etc/settle/managed`; on macOS
    /// `/Library/Managed Preferences`, where device management puts them. `nil` on platforms where an app can't access
    /// it.
    static var managedFolder: String? {
        #if os(macOS)
            "/Library/Managed Preferences"
        #elseif canImport(Darwin)
            nil
        #else
            "/etc/settle/managed"
        #endif
    }
}
