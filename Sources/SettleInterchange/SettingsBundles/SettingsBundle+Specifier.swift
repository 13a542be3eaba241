public import Settle

extension SettingsBundle {
    /// One element of a pane.
    public struct Specifier: Sendable, Hashable {
        /// The kind, with all properties specific to it.
        public var kind: Kind
        /// The key of the value as the program spells it for `UserDefaults`: one name, with dots or without. `nil` for
        /// elements without a value, such as groups, child panes and links, and for a title whose text never changes.
        /// Never empty.
        public var key: String?
        /// The text beside it, or above a group.
        public var title: String?
        /// The value while none is stored.
        public var defaultValue: SettingValue?
        /// The devices on which it is shown; `nil` for all.
        public var idioms: [Idiom]?
        /// The entries that have no property here, such as `License`, `Placeholder`, or those of InAppSettingsKit:
        /// unchanged, and written again. A name that the kind has is not written from here.
        public var unknown = SettingValue.Entries()

        /// Creates an element.
        public init(
            _ kind: Kind, key: String? = nil, title: String? = nil, defaultValue: SettingValue? = nil,
            idioms: [Idiom]? = nil
        ) {
            (self.kind, self.key, self.title) = (kind, key, title)
            (self.defaultValue, self.idioms) = (defaultValue, idioms)
        }

        /// The kinds of elements.
        public enum Kind: Sendable, Hashable {
            /// `PSGroupSpecifier`: the beginning of a section.
            case group(Group)
            /// `PSTextFieldSpecifier`: a field for typed text.
            case textField(TextField)
            /// `PSTitleValueSpecifier`: a read-only value.
            case titleValue(TitleValue)
            /// `PSToggleSwitchSpecifier`: a switch with two values.
            case toggle(Toggle)
            /// `PSSliderSpecifier`: a number between two others.
            case slider(Slider)
            /// `PSMultiValueSpecifier`: a choice on a page of its own.
            case multiValue(MultiValue)
            /// `PSChildPaneSpecifier`: a row that leads to another pane.
            case childPane(ChildPane)
            /// `PSRadioGroupSpecifier`: a choice whose values are the rows of a section.
            case radioGroup(RadioGroup)
            /// `IASKTextViewSpecifier` of InAppSettingsKit: a field for text of several lines.
            case textView(TextField)
            /// `IASKDatePickerSpecifier` of InAppSettingsKit: a field for a date.
            case datePicker(DatePicker)
            /// `IASKOpenURLSpecifier` of InAppSettingsKit: a row that opens a URL.
            case link(Link)
            /// `IASKMailComposeSpecifier` of InAppSettingsKit: a row that begins an email.
            case mailDraft(MailDraft)
            /// `IASKButtonSpecifier` of InAppSettingsKit: a row that runs code of the program.
            case button
        }

        /// Returns whether it is shown on a device of this kind.
        public func isShown(on idiom: Idiom) -> Bool { idioms?.contains(idiom) ?? true }
    }

    /// A kind of device, as `SupportedUserInterfaceIdioms` names it.
    public struct Idiom: RawRepresentable, Sendable, Hashable {
        /// The name in the bundle.
        public var rawValue: String
        /// Creates a kind from its name in the bundle.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// iPhone and iPod touch.
        public static let phone = Idiom(rawValue: "Phone")
        /// iPad.
        public static let pad = Idiom(rawValue: "Pad")
    }
}
