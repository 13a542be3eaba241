package import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the settings of all programs of a user.
package struct DomainDirectory: Sendable {
    private let location: StandardLocation
    /// The format of the files of new domains; `nil` for that of a program's store.
    private let format: FileFormat?

    /// Creates the directory of the current user.
    package init() { self.init(StandardLocation()) }

    package init(_ location: StandardLocation) { self.init(location, format: nil) }

    private init(_ location: StandardLocation, format: FileFormat?) {
        (self.location, self.format) = (location, format)
    }

    /// The same directory, in which new domains are property lists, so that dates and data keep their types.
    var withPropertyLists: DomainDirectory { DomainDirectory(location, format: .propertyListXML) }

    /// Returns the names of all domains that have a file in the standard location, sorted.
    func names() -> [String] { location.domains().map(\.name) }

    /// Returns the file of a domain in the standard location.
    ///
    /// - Parameter name: A name that can be that of a folder.
    func path(ofDomain name: String) -> FilePath { location.path(forStore: name) }

    /// Returns the settings that a user means by a name: a domain, or a path instead of one.
    ///
    /// - Parameters:
    ///   - isApp: Whether the name is that of an app bundle.
    ///   - host: The machine whose own values are meant; empty for this one.
    func address(of name: String, isApp: Bool, host: String?) throws -> DomainAddress {
        let name = isApp ? try Self.identifier(ofApp: name) : name
        guard !name.isEmpty else { throw CommandFailure(.usage, "A domain can't have an empty name.") }
        var file: URL
        if DomainAddress.globalNames.contains(name) {
            file = location.globalFile
        } else if name.contains("/") {
            file = try Self.file(atPath: name)
        } else {
            file = try location.existingFile(ofDomain: name) ?? standardFile(of: name)
        }
        if let host {
            file = Self.hostFile(besides: file, host: host.isEmpty ? nil : host)
        }
        return try DomainAddress(
            name: DomainAddress.globalNames.contains(name) ? DomainAddress.globalName : name, file: file)
    }

    /// Returns a machine's file, in the format of the domain's file, unless there is one in the other format. A file
    /// with another extension has no counterpart: one with the same name may belong to another program.
    private static func hostFile(besides file: URL, host: String?) -> URL {
        let other = ["json": "plist", "plist": "json"][file.pathExtension.lowercased()]
        let others = other.map { [file.deletingPathExtension().appendingPathExtension($0)] } ?? []
        let files = ([file] + others).map { StandardLocation.hostFile(besides: $0, host: host) }
        return files.first(where: StandardLocation.isThere) ?? files[0]
    }

    private func standardFile(of name: String) throws(CommandFailure) -> URL {
        do {
            return try location.file(forStore: name, format: format)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// Returns the file at a path. As in `defaults`, the path may lack its extension, and a new file is then a property
    /// list. So may one whose last name has dots, such as `com.apple.finder`. The folder of a domain stands for that
    /// domain's file.
    private static func file(atPath path: String) throws(CommandFailure) -> URL {
        let url = URL(filePath: path.expandingHome, directoryHint: .notDirectory)
        var isFolder = false
        #if canImport(FoundationEssentials)
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        #else
            var flag: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &flag)
            isFolder = flag.boolValue
        #endif
        if isFolder {
            let files = ["settings.json", "settings.plist"].map {
                url.appending(path: $0, directoryHint: .notDirectory)
            }
            return files.first(where: StandardLocation.isThere) ?? files[0]
        }
        let extensions = ["plist", "json"]
        guard !extensions.contains(url.pathExtension.lowercased()) else { return url }
        let others = extensions.map { url.appendingPathExtension($0) }
        // A settings file has no other extension, so what follows the last dot is more likely a part of the name.
        let candidates = url.pathExtension.isEmpty ? [url] + others : others + [url]
        return candidates.first(where: StandardLocation.isThere) ?? others[0]
    }

    /// Returns the identifier in the `Info.plist` of an app. A name without a slash is that of an installed app, or else
    /// of one in the current folder.
    private static func identifier(ofApp name: String) throws -> String {
        let (path, bundle) = (name.expandingHome, name.hasSuffix(".app") ? name : "\(name).app")
        let paths = name.contains("/") ? [path, "\(path).app"] : ["/Applications/\(bundle)", bundle, name]
        let current = FileManager.default.currentDirectoryPath
        for path in paths {
            for inner in ["Contents/Info.plist", "Info.plist"] {
                let folder = path.hasPrefix("/") ? path : "\(current)/\(path)"
                let file = URL(filePath: "\(folder)/\(inner)", directoryHint: .notDirectory)
                let operations = FileOperations(POSIXSystemCalls())
                // Another one may be the app that is meant.
                guard StandardLocation.isThere(file),
                    let bytes = try operations.contentsIfThere(of: FilePath(file.path))
                else { continue }
                if case .dictionary(let entries) = try readDocument(Data(bytes), named: file.path).value,
                    case .string(let identifier)? = entries["CFBundleIdentifier"]
                {
                    return identifier
                }
            }
        }
        throw CommandFailure(.absent, "There is no app “\(name)”: “\(paths[0])” has no Info.plist with an identifier.")
    }
}
