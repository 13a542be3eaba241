import Settle

/// Properties of the kinds of specifiers that InAppSettingsKit adds. Apple's Settings app ignores them.
extension SettingsBundle {
    /// The program that shows a bundle. It decides between the variants of a pane's list.
    public enum Presentation: Sendable, Hashable, CaseIterable {
        /// Apple's Settings app, on a pad: for a pane `Root` the list is `Root~ipad.plist`, or else `Root.plist`.
        case settingsApp
        /// The program itself, or a page in its place, as InAppSettingsKit shows a bundle on a pad: the list is
        /// `Root~ipad.inApp.plist`, or else `Root.inApp.plist`, or else that of ``settingsApp``.
        case inApp

        /// What stands between a pane's name and `.plist`, the preferred one first.
        var suffixes: [String] {
            switch self {
            case .settingsApp: ["~ipad", ""]
            case .inApp: ["~ipad.inApp", ".inApp", "~ipad", ""]
            }
        }
    }

    /// A field for a date.
    public struct DatePicker: Sendable, Hashable {
        /// The chosen parts of the date, by their names in the bundle.
        public enum Mode: String, Sendable, Hashable, CaseIterable {
            /// The day and the time of day. This is the default.
            case dateAndTime = "DateAndTime"
            /// The day.
            case date = "Date"
            /// The time of day.
            case time = "Time"
        }

        /// The chosen parts.
        public var mode: Mode

        /// Creates a field.
        public init(mode: Mode = .dateAndTime) { self.mode = mode }
    }

    /// A row that opens a URL.
    public struct Link: Sendable, Hashable {
        /// The URL, as the bundle spells it.
        public var url: String

        /// Creates a row.
        public init(url: String) { self.url = url }
    }

    /// A row that begins an email.
    public struct MailDraft: Sendable, Hashable {
        /// The recipients.
        public var recipients: [String]
        /// The recipients of copies.
        public var copyRecipients: [String]
        /// The recipients of blind copies.
        public var blindCopyRecipients: [String]
        /// The subject.
        public var subject: String?
        /// The text.
        public var body: String?

        /// Creates a row.
        public init(
            recipients: [String] = [], copyRecipients: [String] = [], blindCopyRecipients: [String] = [],
            subject: String? = nil, body: String? = nil
        ) {
            (self.recipients, self.copyRecipients) = (recipients, copyRecipients)
            (self.blindCopyRecipients, self.subject, self.body) = (blindCopyRecipients, subject, body)
        }
    }
}

extension SpecifierReader {
    mutating func readDatePicker() -> SettingsBundle.Specifier? {
        guard let key = requiredKey() else { return nil }
        let picker = SettingsBundle.DatePicker(mode: named("DatePickerMode", otherwise: .dateAndTime))
        return specifier(.datePicker(picker), key: key, defaultValue: scalar("DefaultValue"))
    }

    mutating func readLink() -> SettingsBundle.Specifier? {
        guard let url = text("File") else {
            find(.missingKey, "“File” is missing. The row is left out.")
            return nil
        }
        return specifier(.link(SettingsBundle.Link(url: url)))
    }

    mutating func readMailDraft() -> SettingsBundle.Specifier {
        let draft = SettingsBundle.MailDraft(
            recipients: texts("IASKMailComposeToRecipents"), copyRecipients: texts("IASKMailComposeCcRecipents"),
            blindCopyRecipients: texts("IASKMailComposeBccRecipents"), subject: text("IASKMailComposeSubject"),
            body: text("IASKMailComposeBody"))
        return specifier(.mailDraft(draft))
    }

    private mutating func texts(_ name: String) -> [String] {
        switch entries[name] {
        case nil: return []
        case .string(let text)?: return [text]
        case .array(let elements)?:
            let texts = elements.compactMap { SettingCoercion.string.convert($0) }
            if texts.count == elements.count { return texts }
        case _?: break
        }
        find(.wrongValue, "“\(name)” is not an array of texts. It is left out.")
        return []
    }
}
