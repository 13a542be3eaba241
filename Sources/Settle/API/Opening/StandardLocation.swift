#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The platform's standard location for an app's settings.
///
/// Linux: `$XDG_CONFIG_HOME/<name>/settings.json`, or `$HOME/.config/<name>/settings.json` if that variable is not set
/// or not an absolute path. Without an absolute `HOME`, the home folder that the system lists for the user is used.
/// Apple platforms: `~/Library/Application Support/<name>/settings.json`, in a sandbox that of the app. tvOS:
/// `Library/Caches`, which the system empties when it needs the space, so settings that must persist belong in the
/// user's iCloud account.
package struct StandardLocation: Sendable {
    private let folder: FilePath

    /// Creates the location of another user. Variables of that user's sessions are not known.
    package init(of home: FilePath) {
        #if canImport(Darwin)
            self.init(home: home.text, subfolder: "Library/Application Support", override: nil)
        #else
            self.init(home: home.text, subfolder: ".config", override: nil)
        #endif
    }

    /// Creates the current user's location.
    package init() {
        self.init(variable: environmentVariable)
    }

    package init(environment: [String: String]) {
        self.init { environment[$0] }
    }

    private init(variable: (String) -> String?) {
        #if os(tvOS)
            // The only folder in which an app may keep files.
            folder = FilePath(URL.cachesDirectory.path)
        #elseif canImport(Darwin)
            folder = FilePath(URL.applicationSupportDirectory.path)
        #else
            // Foundation queries the user database first, which ignores the `HOME` of a container or a test, and is
            // slow.
            let home = variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            self.init(
                home: home ?? FileManager.default.homeDirectoryForCurrentUser.path, subfolder: ".config",
                override: variable("XDG_CONFIG_HOME"))
        #endif
    }

    /// - Parameter override: Replaces the whole path, if it is absolute.
    package init(home: String, subfolder: String, override: String?) {
        if let override, override.hasPrefix("/") {
            folder = FilePath(override)
        } else {
            folder = FilePath(home).appending(subfolder)
        }
    }

    /// Returns the file of the store with this name, such as `com.example.app`.
    ///
    /// - Throws: ``StorageError`` if the name can't be that of a folder.
    package func file(
        forStore name: String, format: FileFormat? = nil
    ) throws(StorageError) -> URL {
        try check(name)
        let isPropertyList = format == .propertyListXML || format == .propertyListBinary
        let file = isPropertyList ? folder.appending(name).appending("settings.plist") : path(forStore: name)
        return URL(filePath: file.text, directoryHint: .notDirectory)
    }

    /// Returns the file of the store with this name; throws the error of a store.
    package func checkedFile(forStore name: String) throws(SettingsError) -> URL {
        do {
            return try file(forStore: name)
        } catch {
            throw SettingsError(.invalidName, "\(error)", underlying: error)
        }
    }

    /// Returns the path of a store's file in JSON.
    ///
    /// - Parameter name: The name of the store, which must be valid as that of a folder.
    package func path(forStore name: String) -> FilePath { folder.appending(name).appending("settings.json") }

    /// Refuses a name that can't be that of a folder.
    func check(_ name: String) throws(StorageError) {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
            throw StorageError(
                .unreadable,
                "“\(name)” can't be the name of a store: it must be the name of a folder, such as "
                    + "\"com.example.app\", without a slash.")
        }
    }

    /// The file of a domain for all programs of the user: `settle/global.json`.
    package var globalFile: URL { url("settle", "global.json") }

    /// The folder that has a folder for each store.
    package var folderPath: String { folder.text }

    /// Returns a path below the folder of all stores.
    func url(_ names: String...) -> URL {
        URL(filePath: names.reduce(folder) { $0.appending($1) }.text, directoryHint: .notDirectory)
    }
}
