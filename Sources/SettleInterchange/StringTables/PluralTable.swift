public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Texts that depend on numbers, as in a `.stringsdict` file.
///
/// ```swift
/// let table = try PluralTable.read(data).table
/// table["%d files"]?["files"]?[.one]  // "%d file"
/// for finding in table.findings { print(finding) }
/// ```
///
/// Reading keeps everything in the file, including parts that are not rules for plurals; ``findings`` lists them.
public struct PluralTable: Sendable, Hashable {
    /// A category of numbers. A language has some of them, and always `other`.
    public enum Category: String, Sendable, Hashable, CaseIterable {
        /// For no things, in languages with a separate form for that, such as Arabic.
        case zero
        /// For one thing, and for numbers that a language treats like it.
        case one
        /// For two things, such as in Arabic.
        case two
        /// For a few things, such as 2, 3 and 4 in Polish.
        case few
        /// For many things, such as 5 to 21 in Polish.
        case many
        /// For all other numbers.
        case other
    }

    private var values: [Name: Entry] = [:]
    /// The file's values for keys whose value is not a dictionary.
    public internal(set) var unknown = SettingValue.Entries()

    /// Creates an empty table.
    public init() {}

    /// The keys of all entries, sorted by their bytes.
    public var keys: [String] { values.keys.map(\.text).sorted { $0.precedesByBytes($1) } }

    /// The entry of a key; setting `nil` removes it.
    public subscript(key: String) -> Entry? {
        get { values[Name(key)] }
        set {
            values[Name(key)] = newValue
            if newValue != nil { unknown.removeValue(forKey: key) }
        }
    }

    /// Reads a `.stringsdict` file: a property list in any form.
    ///
    /// - Throws: `FormatError` if it can't be read, or is not a dictionary. Any other problem is one of the
    ///   ``findings``.
    public static func read(_ data: Data) throws(FormatError) -> (table: PluralTable, form: PropertyList.Form) {
        let (list, form) = try PropertyList.read(data)
        guard case .dictionary(let entries) = list.value else {
            throw FormatError(.unsupportedValue, at: .key(""), "A file of plurals must be a dictionary.")
        }
        var table = PluralTable()
        for (key, value) in entries {
            if case .dictionary(let content) = value {
                table.values[Name(key)] = Entry(content)
            } else {
                table.unknown[key] = value
            }
        }
        return (table, form)
    }

    /// Writes a `.stringsdict` file with sorted keys, which reads back as the equal table.
    ///
    /// - Throws: `FormatError` with the key of a variable whose name the format reserves, or of a value in one of the
    ///   unknown parts that the form does not hold.
    public func data(as form: PropertyList.Form = .xml) throws(FormatError) -> Data {
        var root = unknown
        for (key, entry) in values {
            do throws(FormatError) {
                root[key.text] = .dictionary(try entry.content())
            } catch {
                throw error.below(key.text)
            }
        }
        return try PropertyList(.dictionary(root)).data(as: form)
    }
}

extension PluralTable {
    /// A format with the variables in it.
    public struct Entry: Sendable, Hashable {
        /// The format, in which `%#@files@` represents the text of a variable; `nil` if the file has none.
        public var format: String?
        private var values: [Name: Variable] = [:]
        /// Further values in the file for the key, such as texts for several widths.
        public internal(set) var unknown = SettingValue.Entries()

        /// Creates an entry without variables.
        public init(format: String?) { self.format = format }

        /// The names of all variables, sorted by their bytes.
        public var names: [String] { values.keys.map(\.text).sorted { $0.precedesByBytes($1) } }

        /// A variable by its name; setting `nil` removes it.
        public subscript(name: String) -> Variable? {
            get { values[Name(name)] }
            set {
                values[Name(name)] = newValue
                if newValue != nil { unknown.removeValue(forKey: name) }
            }
        }

        init(_ content: SettingValue.Entries) {
            for (name, value) in content {
                switch value {
                case .string(let text) where Name(name) == Self.formatKey: format = text
                case .dictionary(let rule) where !Self.isReserved(name): values[Name(name)] = Variable(rule)
                default: unknown[name] = value
                }
            }
        }

        func content() throws(FormatError) -> SettingValue.Entries {
            var content = unknown
            if let format { content[Self.formatKey.text] = .string(format) }
            for (name, variable) in values {
                guard !Self.isReserved(name.text) else {
                    throw FormatError(
                        .unsupportedValue, at: .key(SettingKey(name: name.text).description),
                        "The name of a variable must not begin with NSString.")
                }
                content[name.text] = .dictionary(variable.content())
            }
            return content
        }

        static let formatKey = Name("NSStringLocalizedFormatKey")

        /// Returns whether the format gives the name a special meaning, such as that of texts for several widths.
        private static func isReserved(_ name: String) -> Bool { name.utf8.starts(with: "NSString".utf8) }
    }

    /// A rule that chooses a text for a number.
    public struct Variable: Sendable, Hashable {
        /// The kind of rule: ``pluralRule``, or another value in the file; `nil` if there is none.
        public var rule: String?
        /// The type with which the number is passed, as in `printf`: `d`, `lu`, `f`; `nil` if the file does not specify
        /// it.
        public var valueType: String?
        /// The text of each category in the file.
        public var texts: [Category: String]
        /// Further values in the file for the variable.
        public internal(set) var unknown = SettingValue.Entries()

        /// The rule that chooses by the plurals of the language.
        public static let pluralRule = "NSStringPluralRuleType"

        /// Creates a rule for plurals.
        public init(valueType: String?, texts: [Category: String]) {
            rule = Self.pluralRule
            self.valueType = valueType
            self.texts = texts
        }

        /// The text for a category, or else that for `other`.
        public subscript(category: Category) -> String? { texts[category] ?? texts[.other] }

        init(_ content: SettingValue.Entries) {
            texts = [:]
            for (name, value) in content {
                guard case .string(let text) = value else {
                    unknown[name] = value
                    continue
                }
                if let category = Category.allCases.first(where: { Name($0.rawValue) == Name(name) }) {
                    texts[category] = text
                } else if Name(name) == Self.ruleKey {
                    rule = text
                } else if Name(name) == Self.valueTypeKey {
                    valueType = text
                } else {
                    unknown[name] = value
                }
            }
        }

        func content() -> SettingValue.Entries {
            var content = unknown
            if let rule { content[Self.ruleKey.text] = .string(rule) }
            if let valueType { content[Self.valueTypeKey.text] = .string(valueType) }
            for (category, text) in texts { content[category.rawValue] = .string(text) }
            return content
        }

        private static let ruleKey = Name("NSStringFormatSpecTypeKey")
        private static let valueTypeKey = Name("NSStringFormatValueTypeKey")
    }
}
