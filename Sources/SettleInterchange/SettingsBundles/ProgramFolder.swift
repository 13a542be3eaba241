import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The name and the icon of the program around a bundle.
struct ProgramFolder {
    private let folder: BundleFolder?
    private let info: SettingValue.Entries

    /// - Parameter path: `nil` if there is no program.
    init(_ path: FilePath?) {
        folder = path.flatMap { path in try? BundleFolder(path) }
        // For iOS, macOS and GNUstep.
        let files = [["Info.plist"], ["Contents", "Info.plist"], ["Resources", "Info-gnustep.plist"]]
        var found: SettingValue.Entries = [:]
        for names in files {
            guard let bytes = try? folder?.contents(of: BundlePath(names), limit: BundleLimits.list),
                case .dictionary(let entries)? = try? PropertyList.read(Data(bytes)).list.value
            else { continue }
            found = entries
            break
        }
        info = found
    }

    /// - Parameter program: By default the one that contains the bundle.
    init(_ program: URL?, around bundle: FilePath) {
        self.init(program.map { FilePath($0.path).withoutTrailingSlashes } ?? Self.path(around: bundle))
    }

    /// Returns the folder of the program that contains a bundle, by its name: `a.app` for `a.app/Settings.bundle` and
    /// `a.app/Contents/Resources/Settings.bundle`; `nil` if there is none.
    private static func path(around bundle: FilePath) -> FilePath? {
        var path = bundle.folder
        if path.name == "Resources" { path = path.folder }
        if path.name == "Contents" { path = path.folder }
        return path.name.hasSuffix(".app") ? path : nil
    }

    /// The identifier, such as `com.example.app`.
    var identifier: String? { info["CFBundleIdentifier"]?.text.flatMap { $0.isEmpty ? nil : $0 } }

    /// The program's display name.
    var title: String? { info.programTitle }

    /// The possible names of the icon, the best one first.
    var iconNames: [String] {
        var names = ["Icon-Settings.png"]
        if case .dictionary(let icons)? = info["CFBundleIcons"],
            case .dictionary(let primary)? = icons["CFBundlePrimaryIcon"],
            case .array(let files)? = primary["CFBundleIconFiles"]
        {
            names += files.compactMap(\.text)
        }
        if case .array(let files)? = info["CFBundleIconFiles"] { names += files.compactMap(\.text) }
        names += ["CFBundleIconFile", "NSIcon"].compactMap { info[$0]?.text } + ["Icon.png"]
        return Array(names.prefix(16))
    }

    /// Reads a picture of the program.
    func image(named name: String) -> SettingsBundle.Image? {
        guard let folder else { return nil }
        let places = [[], ["Contents", "Resources"], ["Resources"]]
        return places.lazy.compactMap { folder.image(named: name, in: $0) }.first
    }

    /// Returns the texts with the program's name in its languages, where the bundle does not have one.
    func addingTitles(to localizations: [SettingsBundle.Localization]) -> [SettingsBundle.Localization] {
        guard let folder else { return localizations }
        var all = localizations
        for parents in [[], ["Contents", "Resources"], ["Resources"]] {
            for name in folder.languages(in: parents).prefix(BundleLimits.localizations) {
                let path = BundlePath(parents + [name + ".lproj", "InfoPlist.strings"])
                guard let bytes = try? folder.contents(of: path, limit: BundleLimits.table),
                    let table = try? StringTable.read(Data(bytes)).table, let title = table.programTitle
                else { continue }
                all.addTitle(title, in: name)
            }
        }
        return all
    }
}

extension [SettingsBundle.Localization] {
    fileprivate mutating func addTitle(_ title: String, in language: String) {
        let table = StringTable([StringTable.Entry(key: StringTable.titleKey, value: title)])
        guard let place = firstIndex(where: { Name($0.language) == Name(language) }) else {
            return append(SettingsBundle.Localization(language: language, tables: ["InfoPlist": table]))
        }
        if self[place].tables["InfoPlist"]?.programTitle == nil { self[place].tables["InfoPlist"] = table }
    }
}

extension StringTable {
    static let titleKey = "CFBundleDisplayName"

    /// The name of a program, in a table `InfoPlist`.
    var programTitle: String? { self[Self.titleKey] ?? self["CFBundleName"] }
}

extension SettingValue.Entries {
    /// The name of a program, in an `Info.plist`.
    var programTitle: String? {
        [StringTable.titleKey, "CFBundleName", "ApplicationName"].lazy.compactMap { self[$0]?.text }
            .first { !$0.isEmpty }
    }
}

extension SettingValue {
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
