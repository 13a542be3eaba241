/// Texts whose direction may not be that of the page.
extension PanelStrings {
    /// Returns a text of the program or of a user, whose language is unknown, in the direction of its first letter.
    /// Nothing in it, even a directional control character, affects the text around it.
    func isolated(_ text: String) -> HTML { isolated(text, as: HTML(text)) }

    /// Returns a piece of a page that shows a text, isolated as the text would be.
    func isolated(_ text: String, as html: HTML) -> HTML { isMixed(text) ? HTML("bdi") { html } : html }

    /// Returns text that reads from left to right in every language: numbers, JSON, keys, paths and the like.
    func code(_ text: String) -> HTML { isMixed(text) ? HTML("bdi", ["dir": "ltr"]) { text } : HTML(text) }

    /// Returns text that reads from left to right in every language, within a text without elements.
    func codeInText(_ text: String) -> String { isRightToLeft ? "\u{2066}\(text)\u{2069}" : text }

    /// Returns whether a text must be isolated from the page around it.
    private func isMixed(_ text: String) -> Bool { !text.isEmpty && (isRightToLeft || text.hasRightToLeft) }

    /// The direction of an option, in which there can't be another element; `nil` for that of the page.
    var optionDirection: String? { isRightToLeft ? "auto" : nil }
}

extension String {
    /// Whether it may have a letter of a script that goes from right to left, or a directional control character.
    fileprivate var hasRightToLeft: Bool {
        // Below U+0590 there is none. Nearly every text has no byte of a later character.
        guard utf8.contains(where: { $0 >= 0xD6 }) else { return false }
        return unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0590...0x08FF, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFB1D...0xFDFF,
                0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
                true
            default: false
            }
        }
    }
}

extension ControlKind {
    /// The direction of the kind's input: that of code, or that of the first letter typed.
    var direction: HTML.Attribute {
        switch self {
        case .text(let input) where !input.isCode: "auto"
        case .secret, .choice, .label, .toggle: "auto"
        case .text, .number, .date, .duration, .data, .list, .dictionary, .json: "ltr"
        }
    }
}
