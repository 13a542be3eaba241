import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BundleReader {
    /// Reads all tables, and reports those that a pane names and that no language has.
    mutating func readLocalizations() -> [SettingsBundle.Localization] {
        var all: [SettingsBundle.Localization] = []
        var count = 0
        let languages = folder.languages()
        if languages.count > BundleLimits.localizations {
            findings.add(
                .limit, "", nil, "There are more than \(BundleLimits.localizations) languages. The others are left out."
            )
        }
        for language in [""] + languages.prefix(BundleLimits.localizations) {
            var tables: [String: StringTable] = [:]
            let parents = language.isEmpty ? [] : [language + ".lproj"]
            for file in folder.names(in: parents) {
                guard let name = file.without(ending: ".strings") else { continue }
                guard count < BundleLimits.tables else { break }
                count += 1
                if let table = readTable(BundlePath(parents + [file])) { tables[name] = table }
            }
            if !tables.isEmpty { all.append(SettingsBundle.Localization(language: language, tables: tables)) }
        }
        if count == BundleLimits.tables {
            findings.add(.limit, "", nil, "There are \(BundleLimits.tables) tables or more. The others are left out.")
        }
        return all
    }

    private mutating func readTable(_ path: BundlePath) -> StringTable? {
        do throws(BundleFolder.Failure) {
            let bytes = try folder.contents(of: path, limit: BundleLimits.table)
            return readTable(bytes, path)
        } catch {
            findings.add(.unreadableFile, path.text, nil, "\(error.reason) Its texts are left out.")
            return nil
        }
    }

    private mutating func readTable(_ bytes: [UInt8], _ path: BundlePath) -> StringTable? {
        // Xcode creates empty files.
        guard !bytes.isEmpty else { return StringTable() }
        do throws(FormatError) {
            return try StringTable.read(Data(bytes)).table
        } catch {
            findings.add(.unreadableFile, path.text, nil, "\(error) Its texts are left out.")
            return nil
        }
    }

    /// Reads the pictures that sliders name.
    mutating func readImages(of panes: [SettingsBundle.Pane]) -> [SettingsBundle.Image] {
        var images: [SettingsBundle.Image] = []
        var seen: Set<Name> = []
        for pane in panes {
            for case .slider(let slider) in pane.specifiers.map(\.kind) {
                for name in [slider.minimumImage, slider.maximumImage].compactMap(\.self) {
                    guard seen.insert(Name(name)).inserted else { continue }
                    guard images.count < BundleLimits.images else {
                        findings.add(.limit, "", nil, "There are more than \(BundleLimits.images) pictures.")
                        return images
                    }
                    if let image = readImage(name, pane) { images.append(image) }
                }
            }
        }
        return images
    }

    private mutating func readImage(_ name: String, _ pane: SettingsBundle.Pane) -> SettingsBundle.Image? {
        let file = pane.file + ".plist"
        guard BundlePath(name) != nil else {
            findings.add(
                .unsafeName, file, nil, "The name of a picture is not a path within the bundle. It is left out.")
            return nil
        }
        if let image = folder.image(named: name) { return image }
        let shown = SpecifierReader.shortened(name)
        findings.add(.missingFile, file, nil, "There is no picture “\(shown)” of 1 MiB or less. It is left out.")
        return nil
    }

    /// Reads the icon of the bundle, or that of the program.
    func readIcon() -> SettingsBundle.Image? {
        folder.image(named: "Icon-Settings.png")
            ?? program.iconNames.lazy.compactMap { program.image(named: $0) }.first { $0.mediaType == "image/png" }
    }
}
