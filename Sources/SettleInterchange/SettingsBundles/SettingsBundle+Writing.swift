public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsBundle {
    /// Writes a `Settings.bundle` that ``read(at:of:as:)`` reads as the same panes, texts and pictures.
    ///
    /// Property lists are in XML, with sorted keys, and tables in the old text form, so that equal bundles give equal
    /// files. The title is in an `Info.plist` of the bundle, the icon in `Icon-Settings.png`. If only some choices have
    /// a short title, the others get their title for it, since a bundle has all of them or none. Entries that the
    /// library does not know are written as they were read. ``findings`` are not written.
    ///
    /// All files are written into a new folder beside `folder`, and synced. Only then does it replace `folder`, and an
    /// existing bundle is removed. If anything fails before, the old bundle stays unchanged. If the process ends
    /// between the two moves, both are beside `folder`, with a dot before their names. If only the sync after the
    /// replacement fails, the new bundle is in place. Folders have the permissions 0755, files 0644 less the process's
    /// umask.
    ///
    /// - Parameter folder: The folder to create, by convention `Settings.bundle`. Its parent folder must exist. If
    ///   `folder` already exists, it must be a folder with a `Root.plist`, or an empty one.
    /// - Throws: `SettingsError` with the code `SettingsError.Code.settingsBundle` if a value has no form in XML, a
    ///   name is not a path within the bundle or is used twice, something else exists at `folder`, or a file can't be
    ///   written.
    public func write(to folder: URL) throws(SettingsError) {
        try write(to: folder, POSIXSystemCalls())
    }

    package func write(to folder: URL, _ calls: any SystemCalls) throws(SettingsError) {
        let path = FilePath(folder.path).withoutTrailingSlashes
        do throws(BundleFileError) {
            try BundleReplacement(path, try BundleFiles(self).all(), calls).run()
        } catch {
            throw .unwritable(path, error.reason, underlying: error.underlying)
        }
    }
}

extension SettingsError {
    fileprivate static func unwritable(_ path: FilePath, _ reason: String, underlying: (any Error)?) -> SettingsError {
        SettingsError(
            .settingsBundle, "The settings bundle “\(path)” can't be written: \(reason)", underlying: underlying)
    }
}

/// The reason that a file of a bundle can't be created.
struct BundleFileError: Error {
    let reason: String
    var underlying: (any Error)?
}
