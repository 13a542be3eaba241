import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the files of a bundle, and collects the problems with them.
struct BundleReader {
    /// The reason that there is no first pane.
    struct RootFailure: Error {
        let reason: String
        let underlying: (any Error)?
    }

    let folder: BundleFolder
    let program: ProgramFolder
    private let presentation: SettingsBundle.Presentation
    var findings = BundleFindings()
    /// The panes that were read, in the order of the rows that lead to them.
    private var panes: [SettingsBundle.Pane?] = []
    private var places: [BundlePath: Int] = [:]
    /// The reasons that panes can't be shown, so that their files are not read again for each row.
    private var failures: [BundlePath: PaneFailure] = [:]
    /// The panes on the path to the one being read.
    private var way: [BundlePath] = []
    private var specifierCount = 0

    init(_ folder: BundleFolder, _ program: ProgramFolder, _ presentation: SettingsBundle.Presentation) {
        (self.folder, self.program, self.presentation) = (folder, program, presentation)
    }

    mutating func read() throws(RootFailure) -> SettingsBundle {
        let rootPath = BundlePath(["Root.plist"])
        do throws(PaneFailure) {
            try readPane(rootPath, title: nil)
        } catch {
            throw RootFailure(reason: error.reason, underlying: error.underlying)
        }
        let panes = panes.compactMap(\.self)
        guard let root = panes.first else { throw RootFailure(reason: "It has no panes.", underlying: nil) }
        let localizations = readLocalizations()
        let images = readImages(of: panes)
        let own = Self.entries(of: try? list(BundlePath(["Info.plist"])))
        return SettingsBundle(
            title: own.programTitle ?? program.title, icon: readIcon(), root: root, children: Array(panes.dropFirst()),
            localizations: program.addingTitles(to: localizations), images: images, findings: findings.all)
    }
}

/// The reason that a pane can't be shown.
private struct PaneFailure: Error {
    let kind: SettingsBundle.Finding.Kind
    let reason: String
    var underlying: (any Error)?
}

// MARK: Panes

extension BundleReader {
    private mutating func readPane(_ path: BundlePath, title: String?) throws(PaneFailure) {
        if let failure = failures[path] { throw failure }
        do throws(PaneFailure) {
            try checkRoom(for: path)
            let (list, file) = try paneList(path)
            guard case .dictionary(let entries) = list else {
                throw PaneFailure(kind: .wrongValue, reason: "Its root is not a dictionary.")
            }
            places[path] = panes.count
            panes.append(nil)
            let place = panes.count - 1
            way.append(path)
            panes[place] = readPane(entries, path, from: file, title)
            way.removeLast()
        } catch {
            failures[path] = error
            throw error
        }
    }

    private func checkRoom(for path: BundlePath) throws(PaneFailure) {
        guard panes.count < BundleLimits.panes else {
            throw PaneFailure(kind: .limit, reason: "The bundle has more than \(BundleLimits.panes) panes.")
        }
        guard way.count < BundleLimits.depth else {
            throw PaneFailure(kind: .limit, reason: "There are \(BundleLimits.depth) panes before it.")
        }
    }

    /// Reads the list of a pane, or rather the first of its variants that can be read.
    ///
    /// - Parameter path: The path of the list without an addition.
    private mutating func paneList(_ path: BundlePath) throws(PaneFailure) -> (list: SettingValue, file: BundlePath) {
        let stem = path.name.without(ending: ".plist") ?? path.name
        var refused: [(file: BundlePath, failure: PaneFailure)] = []
        var found: (list: SettingValue, file: BundlePath)?
        for suffix in presentation.suffixes.dropLast() where found == nil {
            let file = BundlePath(Array(path.names.dropLast()) + ["\(stem)\(suffix).plist"])
            // A longer name than systems accept is no file.
            guard file.name.utf8.count <= 255 else { continue }
            do throws(PaneFailure) {
                found = (try list(file), file)
            } catch {
                if error.kind != .missingFile { refused.append((file, error)) }
            }
        }
        let pane: (list: SettingValue, file: BundlePath)
        if let found { pane = found } else { pane = (try list(path), path) }
        // If none can be read, the last failure is reported for the pane.
        for (file, failure) in refused {
            findings.add(failure.kind, file.text, nil, "\(failure.reason) Another list of the pane is read instead.")
        }
        return pane
    }

    private func list(_ path: BundlePath) throws(PaneFailure) -> SettingValue {
        let bytes: [UInt8]
        do throws(BundleFolder.Failure) {
            bytes = try folder.contents(of: path, limit: BundleLimits.list)
        } catch {
            throw PaneFailure(error)
        }
        do throws(FormatError) {
            let (list, form) = try PropertyList.read(Data(bytes))
            guard form == .xml, let normalized = bytes.withLineFeeds else { return list.value }
            return try PropertyList.read(Data(normalized)).list.value
        } catch {
            throw PaneFailure(kind: .unreadableFile, reason: "\(error)", underlying: error)
        }
    }

    private static func entries(of list: SettingValue?) -> SettingValue.Entries {
        if case .dictionary(let entries)? = list { entries } else { [:] }
    }

    private mutating func readPane(
        _ entries: SettingValue.Entries, _ path: BundlePath, from file: BundlePath, _ title: String?
    ) -> SettingsBundle.Pane {
        var reader = SpecifierReader(entries, file: file.text, index: nil)
        let ownTitle = reader.text("Title")
        var pane = SettingsBundle.Pane(
            file: path.pane, title: ownTitle ?? title, stringsTable: reader.text("StringsTable"),
            groupContainer: reader.text("ApplicationGroupContainerIdentifier"), specifiers: [])
        pane.titleOfRow = ownTitle == nil ? title : nil
        pane.unknown = entries.without(BundleKeys.ofPane)
        var specifiers: [SettingValue] = []
        switch entries["PreferenceSpecifiers"] {
        case .array(let elements)?: specifiers = elements
        case nil: reader.find(.missingKey, "“PreferenceSpecifiers” is missing. The pane is empty.")
        case _?: reader.find(.wrongValue, "“PreferenceSpecifiers” is not an array. The pane is empty.")
        }
        findings.add(reader.findings)
        for (index, value) in specifiers.enumerated() {
            guard specifierCount < BundleLimits.specifiers else {
                let more = "The bundle has more than \(BundleLimits.specifiers) specifiers."
                findings.add(.limit, file.text, index, "\(more) This one and those after it are left out.")
                break
            }
            specifierCount += 1
            if let specifier = readSpecifier(value, file, index) { pane.specifiers.append(specifier) }
        }
        return pane
    }

    private mutating func readSpecifier(
        _ value: SettingValue, _ file: BundlePath, _ index: Int
    ) -> SettingsBundle.Specifier? {
        guard case .dictionary(let entries) = value else {
            findings.add(.wrongValue, file.text, index, "The specifier is not a dictionary. It is left out.")
            return nil
        }
        var reader = SpecifierReader(entries, file: file.text, index: index)
        let specifier = reader.read()
        findings.add(reader.findings)
        guard var specifier, case .childPane(let child) = specifier.kind else { return specifier }
        do throws(PaneFailure) {
            let name = try readChild(child.file, title: specifier.title)
            specifier.kind = .childPane(SettingsBundle.ChildPane(file: name))
            return specifier
        } catch {
            findings.add(error.kind, file.text, index, "\(error.reason) The row is left out.")
            return nil
        }
    }

    /// Reads a child pane, unless it was read already.
    ///
    /// - Returns: The name of the pane.
    private mutating func readChild(
        _ file: String, title: String?
    ) throws(PaneFailure) -> String {
        guard let path = BundlePath(file, extension: ".plist") else {
            throw PaneFailure(kind: .unsafeName, reason: "“File” is not a path within the bundle.")
        }
        guard !way.contains(path) else {
            throw PaneFailure(kind: .circularPane, reason: "“\(path.text)” leads back to itself.")
        }
        if places[path] == nil {
            do throws(PaneFailure) {
                try readPane(path, title: title)
            } catch {
                throw PaneFailure(
                    kind: error.kind, reason: "“\(path.text)” can't be shown. \(error.reason)",
                    underlying: error.underlying)
            }
        }
        return path.pane
    }
}

extension [UInt8] {
    /// The bytes of an XML file in UTF-8 with the line breaks that XML gives to texts, which are single line feeds;
    /// `nil` if nothing changes.
    fileprivate var withLineFeeds: [UInt8]? {
        let (feed, returning) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        // Another encoding has zero bytes.
        guard contains(returning), !contains(0) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for (index, byte) in enumerated() where !(byte == feed && index > 0 && self[index - 1] == returning) {
            bytes.append(byte == returning ? feed : byte)
        }
        return bytes
    }
}

extension PaneFailure {
    fileprivate init(_ failure: BundleFolder.Failure) {
        if case .missing = failure {
            self.init(kind: .missingFile, reason: failure.reason)
        } else {
            self.init(kind: .unreadableFile, reason: failure.reason)
        }
    }
}
