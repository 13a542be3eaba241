import Settle
import SettleHTTP
import SettleInterchange

/// A setting on a page.
struct Control: Sendable {
    let key: SettingKey
    let title: String
    /// The help text.
    var help: String?
    /// The rules in words.
    var rules: [RuleText] = []
    /// The unit of a number.
    var unit: String?
    let kind: ControlKind
    /// Whether the value can be null.
    var isOptional = false
    /// Whether only the owner may write it.
    var isOwners = false
    /// The number of controls before it in the panel with the same key.
    var occurrence = 0
    /// The texts around it: the title and the footer of its section.
    var surroundings: [String] = []
    /// The value while no domain has one, if known.
    var defaultValue: SettingValue?
    /// The reason that a value is refused before the store is asked.
    var problem: @Sendable (SettingValue) -> ValueProblem? = { _ in nil }

    var isSecret: Bool { if case .secret = kind { true } else { false } }

    /// Whether a user may change it here, as far as its declaration shows.
    var isWritable: Bool { if case .label = kind { false } else { !isOwners } }

    /// Returns the same control with its value shown as another kind, such as JSON.
    func shown(as kind: ControlKind) -> Control {
        var control = Control(key: key, title: title, kind: kind)
        (control.isOptional, control.problem) = (isOptional, problem)
        return control
    }

    /// The key as the identifier of an element, without spaces: different for different keys, and for controls of the
    /// same key.
    var id: String {
        var id = "c-"
        for byte in key.description.utf8 {
            // By hand: the general character properties take longer than all the rest.
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                id.unicodeScalars.append(Unicode.Scalar(byte))
            default: id += "_" + HexadecimalText.text(of: [byte])
            }
        }
        // A key has no full stop here.
        return occurrence == 0 ? id : "\(id).again\(occurrence)"
    }

    /// All texts that a search may find.
    var words: [String] {
        var words = [title, key.description, help ?? "", unit ?? ""] + rules.map(\.text) + surroundings
        words += kind.choices.map(\.title)
        return words
    }
}

extension String {
    /// The text; `nil` if there is nothing to see in it. Bundles have such titles for space between rows.
    var visible: String? {
        let isBlank = unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
        return isBlank ? nil : self
    }

    /// An identifier in code as readable text: `checkInterval` is “Check interval”, `max_size` “Max size”. Never blank:
    /// a name in which there is nothing to see is in quotation marks.
    var asTitle: String {
        guard visible != nil else { return "“\(self)”" }
        var words: [String] = []
        var word = ""
        var previous: Character = " "
        for character in self {
            let begins = character.isUppercase && !previous.isUppercase
            if begins || character == "_" || character == "-" || character == " " || character == "." {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if !"_-. ".contains(character) { word.append(character) }
            previous = character
        }
        if !word.isEmpty { words.append(word) }
        // Abbreviations keep their letters.
        let lowered = words.map { $0.count > 1 && $0.allSatisfy(\.isUppercase) ? $0 : $0.lowercased() }
        guard let first = lowered.first?.first else { return self }
        let sentence = lowered.joined(separator: " ")
        return first.uppercased() + sentence.dropFirst()
    }
}
