public import Settle

/// Properties of a single kind of specifier.
extension SettingsBundle {
    /// The beginning of a section.
    public struct Group: Sendable, Hashable {
        /// The text below the section.
        public var footer: String?

        /// Creates a group.
        public init(footer: String? = nil) { self.footer = footer }
    }

    /// A field for typed text. Its value is a string, whatever the keyboard.
    public struct TextField: Sendable, Hashable {
        /// The keyboards, by their names in the bundle.
        public enum Keyboard: String, Sendable, Hashable, CaseIterable {
            /// Letters. This is the default.
            case alphabet = "Alphabet"
            /// Digits and punctuation.
            case numbersAndPunctuation = "NumbersAndPunctuation"
            /// Digits.
            case numberPad = "NumberPad"
            /// A keyboard for URLs.
            case url = "URL"
            /// A keyboard for email addresses.
            case emailAddress = "EmailAddress"
        }

        /// The capitalization, by its name in the bundle.
        public enum Autocapitalization: String, Sendable, Hashable, CaseIterable {
            /// No letters. This is the default.
            case none = "None"
            /// The first letter of each sentence.
            case sentences = "Sentences"
            /// The first letter of each word.
            case words = "Words"
            /// All letters.
            case allCharacters = "AllCharacters"
        }

        /// The correction of typed text, by its name in the bundle.
        public enum Autocorrection: String, Sendable, Hashable, CaseIterable {
            /// According to the user's preference. This is the default.
            case byDefault = "Default"
            /// The text is not corrected.
            case no = "No"
            /// The text is corrected.
            case yes = "Yes"
        }

        /// Whether the text is hidden, like a password.
        public var isSecure: Bool
        /// The keyboard.
        public var keyboard: Keyboard
        /// The capitalization.
        public var autocapitalization: Autocapitalization
        /// The correction of typed text.
        public var autocorrection: Autocorrection

        /// Creates a text field.
        public init(
            isSecure: Bool = false, keyboard: Keyboard = .alphabet, autocapitalization: Autocapitalization = .none,
            autocorrection: Autocorrection = .byDefault
        ) {
            (self.isSecure, self.keyboard) = (isSecure, keyboard)
            (self.autocapitalization, self.autocorrection) = (autocapitalization, autocorrection)
        }
    }

    /// A read-only value.
    public struct TitleValue: Sendable, Hashable {
        /// The texts for values that have one. Others are shown unchanged.
        public var choices: [Choice]

        /// Creates a title.
        public init(choices: [Choice] = []) { self.choices = choices }

        /// Returns the text for a value; `nil` if it is shown unchanged.
        public func title(for value: SettingValue) -> String? { choices.first(matching: value)?.title }
    }

    /// A switch with two values.
    public struct Toggle: Sendable, Hashable {
        /// The stored value for on.
        public var trueValue: SettingValue
        /// The stored value for off.
        public var falseValue: SettingValue

        /// Creates a switch.
        public init(trueValue: SettingValue = .bool(true), falseValue: SettingValue = .bool(false)) {
            (self.trueValue, self.falseValue) = (trueValue, falseValue)
        }

        /// Returns whether a stored value means on. Numbers may be strings: `"1"` is 1, and 1 is `true`. Where the
        /// values are true and false, other values are read as `UserDefaults` reads a `Bool`, so `"YES"` is on. Any
        /// other value is off.
        public func isOn(_ value: SettingValue) -> Bool { state(of: value) ?? false }

        /// Returns the value to store.
        public func value(isOn: Bool) -> SettingValue { isOn ? trueValue : falseValue }

        /// Returns the state; `nil` for a value that is neither.
        package func state(of value: SettingValue) -> Bool? {
            // Compare exactly first: the two values may be `1` and `"1"`.
            if value == trueValue { return true }
            if value == falseValue { return false }
            if value.isLoosely(trueValue) { return true }
            if value.isLoosely(falseValue) { return false }
            guard case (.bool(let on), .bool) = (trueValue, falseValue) else { return nil }
            return SettingCoercion.bool.convert(value).map { $0 == on }
        }
    }

    /// A number between two others, an integer or not.
    public struct Slider: Sendable, Hashable {
        /// The minimum value.
        public var minimum: Double
        /// The maximum value. Not less than ``minimum``.
        public var maximum: Double
        /// The name of the picture at the minimum value, 21 points high and wide; see ``SettingsBundle/image(named:)``.
        public var minimumImage: String?
        /// The name of the picture at the maximum value.
        public var maximumImage: String?

        /// Creates a slider.
        public init(
            minimum: Double, maximum: Double, minimumImage: String? = nil, maximumImage: String? = nil
        ) {
            (self.minimum, self.maximum) = (minimum, maximum)
            (self.minimumImage, self.maximumImage) = (minimumImage, maximumImage)
        }

        /// Returns the position of a stored value: the nearest number of the slider. Numbers may be strings. `nil` for
        /// anything else.
        public func position(of value: SettingValue) -> Double? {
            guard let number = value.looseDouble else { return nil }
            return min(max(number, minimum), maximum)
        }
    }

    /// A choice on a page of its own.
    public struct MultiValue: Sendable, Hashable {
        /// The choices, in the order of the file.
        public var choices: [Choice]
        /// Whether the choices are shown in the order of their titles.
        public var isSortedByTitle: Bool

        /// Creates a choice.
        public init(choices: [Choice], isSortedByTitle: Bool = false) {
            (self.choices, self.isSortedByTitle) = (choices, isSortedByTitle)
        }

        /// Returns the choice for a stored value; `nil` if there is none. Numbers may be strings: `"2"` is 2, and 1 is
        /// `true`. Store the value of the choice.
        public func choice(for value: SettingValue) -> Choice? { choices.first(matching: value) }

        /// The choices in display order. Titles are sorted without regard to case.
        public var shownChoices: [Choice] { isSortedByTitle ? choices.sortedByTitle : choices }
    }

    /// A row that leads to another pane.
    public struct ChildPane: Sendable, Hashable {
        /// The ``Pane/file`` of the pane. A bundle that was read has it.
        public var file: String

        /// Creates a row.
        public init(file: String) { self.file = file }
    }

    /// A choice whose values are the rows of a section.
    public struct RadioGroup: Sendable, Hashable {
        /// The choices, in the order of the file.
        public var choices: [Choice]
        /// The text below the section.
        public var footer: String?
        /// Whether the choices are shown in the order of their titles.
        public var isSortedByTitle: Bool

        /// Creates a choice.
        public init(choices: [Choice], footer: String? = nil, isSortedByTitle: Bool = false) {
            (self.choices, self.footer, self.isSortedByTitle) = (choices, footer, isSortedByTitle)
        }

        /// Returns the choice for a stored value, as ``MultiValue/choice(for:)`` does.
        public func choice(for value: SettingValue) -> Choice? { choices.first(matching: value) }

        /// The choices in display order. Titles are sorted without regard to case.
        public var shownChoices: [Choice] { isSortedByTitle ? choices.sortedByTitle : choices }
    }
}
