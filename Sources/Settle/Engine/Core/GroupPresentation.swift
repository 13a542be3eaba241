/// How a settings page shows a group within the group around it.
///
/// ```swift
/// struct NetworkSettings: SettingsGroup {
///     static let presentation = GroupPresentation.section(title: "Network", footer: "Takes effect at the next start.")
///     @Setting(title: "Host") var host = "localhost"
///     @Setting(in: 1...65_535, title: "Port") var port = 8080
/// }
/// ```
///
/// It changes neither keys nor values.
public struct GroupPresentation: Sendable, Hashable, Codable {
    /// The ways to show a group.
    public enum Style: String, Sendable, Hashable, Codable, CaseIterable {
        /// A page of its own, behind a row.
        case page
        /// A section of the page of the group around it.
        case section
    }

    /// The way to show the group.
    public let style: Style
    /// The heading of the page or the section; `nil` for the words of the property's name.
    public let title: String?
    /// The text below a section.
    public let footer: String?

    /// A page of its own, behind a row with its title.
    ///
    /// - Parameter title: The title of the page and its row; `nil` for the words of the property's name.
    public static func page(title: String? = nil) -> GroupPresentation {
        GroupPresentation(style: .page, title: title, footer: nil)
    }

    /// A section of the page of the group around it.
    ///
    /// - Parameters:
    ///   - title: The heading; `nil` for the words of the property's name, an empty text for none.
    ///   - footer: The text below the section.
    public static func section(title: String? = nil, footer: String? = nil) -> GroupPresentation {
        GroupPresentation(style: .section, title: title, footer: footer)
    }

    private init(style: Style, title: String?, footer: String?) {
        (self.style, self.title, self.footer) = (style, title, footer)
    }
}
