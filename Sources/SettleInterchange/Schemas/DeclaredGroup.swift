import Settle

/// The declaration of a group of settings: how a page shows it.
package struct DeclaredGroup: Sendable, Hashable {
    package let title: String?
    package let footer: String?
    /// Whether it is a section of the page of the group around it, rather than a page of its own.
    package let isSection: Bool
    /// The number of settings that are declared before it, if known.
    let order: Int?

    init(_ presentation: GroupPresentation) {
        (title, footer, order) = (presentation.title, presentation.footer, nil)
        isSection = presentation.style == .section
    }

    /// - Parameter keywords: Those of the group's object in a JSON Schema.
    init(_ keywords: SettingValue.Entries) {
        (title, footer, order) = (keywords.text("title"), keywords.text("description"), keywords.propertyOrder)
        isSection = keywords.text("x-presentation") == GroupPresentation.Style.section.rawValue
    }
}

extension SettingValue.Entries {
    /// The position in the order of declaration, if the keywords have one.
    var propertyOrder: Int? {
        if case .integer(let order)? = self["propertyOrder"] { Int(exactly: order) } else { nil }
    }
}
