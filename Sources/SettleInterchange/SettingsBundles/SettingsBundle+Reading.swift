public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsError.Code {
    /// A settings bundle can't be read or written; see ``SettingsBundle``.
    public static let settingsBundle = SettingsError.Code("settingsBundle")
}

extension SettingsBundle {
    /// Reads a `Settings.bundle`: `Root.plist`, the panes to which it leads, all tables of texts, and the pictures.
    ///
    /// A pane may have several lists, for other devices and for InAppSettingsKit: ``Presentation`` decides which one is
    /// read. Its pane has the name without that addition, so ``write(to:)`` writes only the list that was read.
    ///
    /// Property lists may be in XML, binary or the old text form; in the last one, where everything is text, numbers
    /// and `YES` are read as the values that they spell.
    ///
    /// The title is the `CFBundleDisplayName`, or else the `CFBundleName`, of the bundle's own `Info.plist` or that of
    /// the program. The icon is `Icon-Settings.png`, of the bundle or the program, or else the program's icon, if it is
    /// a PNG file. If a picture has several files, the one with the most pixels is used: `loud@3x.png` before
    /// `loud@2x.png` and `loud.png`.
    ///
    /// Invalid elements are left out, or replaced as ``findings`` reports, and everything else is read. No link is
    /// followed, and nothing outside of the two folders is read. A bundle may have 1,000 panes with 20,000 specifiers,
    /// 32 panes behind one another, lists and tables of 4 MiB, and 64 MiB of files; the rest is left out with a
    /// finding. At most 1,000 findings are listed.
    ///
    /// - Parameters:
    ///   - folder: The folder of the bundle. Only this name itself may be a link.
    ///   - program: The folder of the program. By default the one around the bundle, if its name ends with `.app`, even
    ///     if `Contents` and `Resources` are between.
    ///   - presentation: The program that shows the bundle; by default Apple's Settings app.
    /// - Throws: `SettingsError` with the code `SettingsError.Code.settingsBundle` if the folder, or its
    ///   `Root.plist`, can't be read.
    public static func read(
        at folder: URL, of program: URL? = nil, as presentation: Presentation = .settingsApp
    ) throws(SettingsError) -> SettingsBundle {
        let path = FilePath(folder.path).withoutTrailingSlashes
        let bundle: BundleFolder
        do throws(FileError) {
            bundle = try BundleFolder(path)
        } catch {
            throw .unreadable(path, "\(error).", underlying: error)
        }
        var reader = BundleReader(bundle, ProgramFolder(program, around: path), presentation)
        do throws(BundleReader.RootFailure) {
            return try reader.read()
        } catch {
            throw .unreadable(path.appending("Root.plist"), error.reason, underlying: error.underlying)
        }
    }

    /// Returns the identifier of the program that a bundle belongs to, such as `com.example.app`: the domain of its
    /// values.
    ///
    /// - Parameters:
    ///   - folder: The folder of the bundle.
    ///   - program: The folder of the program; by default as for ``read(at:of:as:)``.
    /// - Returns: `nil` if no program is around the bundle, or if its `Info.plist` has no identifier.
    public static func programIdentifier(at folder: URL, of program: URL? = nil) -> String? {
        ProgramFolder(program, around: FilePath(folder.path).withoutTrailingSlashes).identifier
    }
}

extension SettingsError {
    fileprivate static func unreadable(_ path: FilePath, _ reason: String, underlying: (any Error)?) -> SettingsError {
        SettingsError(
            .settingsBundle, "The settings bundle can't be read: “\(path)”: \(reason)", underlying: underlying)
    }
}
