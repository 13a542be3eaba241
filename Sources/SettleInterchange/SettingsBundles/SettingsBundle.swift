public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The settings of a program as a `Settings.bundle` describes them to Apple's Settings app: panes of specifiers, with
/// their texts in several languages.
///
/// ```swift
/// let bundle = try SettingsBundle.read(at: url).localized(for: ["en-US", "de"])
/// for section in bundle.root.sections { print(section.title ?? "", section.specifiers.count) }
/// for finding in bundle.findings { print(finding) }
/// ```
///
/// The rules are those of Apple's “Settings Application Schema Reference”. Keys are names in `UserDefaults`, including
/// dots; `SettingsStore.key(named:)` finds the setting of a store for such a key.
public struct SettingsBundle: Sendable, Hashable {
    /// The program's display name; `nil` if it is unknown.
    public var title: String?
    /// The picture beside the title; `nil` if there is none.
    public var icon: Image?
    /// The first pane.
    public var root: Pane
    /// The other panes, each once, in the order in which the rows of the panes before lead to them.
    public var children: [Pane]
    /// The texts, by language.
    public var localizations: [Localization]
    /// The pictures that sliders name, each once.
    public var images: [Image]
    /// The problems with the bundle, and their treatment. Empty for a bundle without mistakes.
    public var findings: [Finding]

    /// Creates a bundle.
    public init(
        title: String? = nil, icon: Image? = nil, root: Pane, children: [Pane] = [],
        localizations: [Localization] = [], images: [Image] = [], findings: [Finding] = []
    ) {
        (self.title, self.icon, self.root, self.children) = (title, icon, root, children)
        (self.localizations, self.images, self.findings) = (localizations, images, findings)
    }

    /// All panes, ``root`` first. Each pane that can be reached is there once.
    public var panes: [Pane] { [root] + children }

    /// Returns the pane to which a ``ChildPane/file`` leads; `nil` if there is none.
    public func pane(named file: String) -> Pane? {
        panes.first { Name($0.file) == Name(file) }
    }

    /// Returns the picture that a ``Slider`` names; `nil` if it could not be read.
    public func image(named name: String) -> Image? {
        images.first { Name($0.name) == Name(name) }
    }

    /// The default values by key, of all panes. Of two specifiers with the same key, the first one counts.
    public var defaultValues: SettingValue.Entries {
        var values = SettingValue.Entries()
        for specifier in panes.flatMap(\.specifiers) {
            guard let key = specifier.key, let value = specifier.defaultValue, values[key] == nil else { continue }
            values[key] = value
        }
        return values
    }
}

extension SettingsBundle {
    /// The texts of one language.
    public struct Localization: Sendable, Hashable {
        /// The name of the folder without `.lproj`, such as `de`, `en_US`, `English` or `Base`; empty for tables that
        /// are beside `Root.plist`.
        public var language: String
        /// The tables by name, such as `Root` for `Root.strings`. The title of the bundle is in `InfoPlist`, under
        /// `CFBundleDisplayName`.
        public var tables: [String: StringTable]

        /// Creates the texts of a language.
        public init(language: String, tables: [String: StringTable]) {
            (self.language, self.tables) = (language, tables)
        }
    }

    /// A picture.
    public struct Image: Sendable, Hashable {
        /// The name by which the bundle refers to it, such as `loud` or `loud.png`.
        public var name: String
        /// The name of the file that was read, such as `loud@2x.png`.
        public var file: String
        /// The number of pixels per point: 1, 2 or 3.
        public var scale: Int
        /// The unchanged contents of the file. At most 1 MiB.
        public var data: Data

        /// Creates a picture.
        public init(name: String, file: String, scale: Int = 1, data: Data) {
            (self.name, self.file, self.scale, self.data) = (name, file, scale, data)
        }

        /// The media type, according to the first bytes: `image/png`, `image/jpeg` or `image/gif`; `nil` for anything
        /// else.
        public var mediaType: String? {
            let types: [(type: String, start: [UInt8])] = [
                ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), ("image/jpeg", [0xFF, 0xD8, 0xFF]),
                ("image/gif", Array("GIF8".utf8)),
            ]
            return types.first { data.starts(with: $0.start) }?.type
        }
    }
}
