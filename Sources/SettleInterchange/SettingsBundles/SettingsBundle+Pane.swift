public import Settle

extension SettingsBundle {
    /// A page of settings: one property list of the bundle.
    public struct Pane: Sendable, Hashable {
        /// The path of the property list within the bundle, without `.plist`: `Root`, or the one to which a
        /// ``ChildPane`` leads.
        public var file: String
        /// The title of the page: the list's `Title`, or else that of the first row that leads to it. `nil` for
        /// ``SettingsBundle/root``, whose page has ``SettingsBundle/title``, unless the list has one. The title of a
        /// row is not written into the list of the pane, unless it is changed here.
        public var title: String?
        /// The name of the table with the pane's texts; `nil` if its texts are the same in all languages.
        public var stringsTable: String?
        /// The container in which the program keeps the values; `nil` for its own domain.
        public var groupContainer: String?
        /// The elements of the page, in the order of the file, without those that could not be read.
        public var specifiers: [Specifier]
        /// The entries of the list that have no property here: unchanged, and written again.
        public var unknown = SettingValue.Entries()
        /// The title of the row that the pane got for lack of its own, in the same language as ``title``.
        var titleOfRow: String?

        /// Creates a pane.
        public init(
            file: String = "Root", title: String? = nil, stringsTable: String? = nil, groupContainer: String? = nil,
            specifiers: [Specifier]
        ) {
            (self.file, self.title, self.stringsTable) = (file, title, stringsTable)
            (self.groupContainer, self.specifiers) = (groupContainer, specifiers)
        }

        /// The specifiers in sections, as they are shown: a group, and a radio group, begins one. The elements before
        /// the first group are a section without a title.
        public var sections: [Section] {
            var sections: [Section] = []
            for specifier in specifiers {
                switch specifier.kind {
                case .group(let group):
                    sections.append(Section(title: specifier.title, footer: group.footer, idioms: specifier.idioms))
                case .radioGroup(let group):
                    sections.append(
                        Section(
                            title: specifier.title, footer: group.footer, idioms: specifier.idioms,
                            specifiers: [specifier]))
                default:
                    if sections.isEmpty { sections.append(Section()) }
                    sections[sections.count - 1].specifiers.append(specifier)
                }
            }
            return sections
        }
    }

    /// A part of a pane.
    public struct Section: Sendable, Hashable {
        /// The text above it.
        public var title: String?
        /// The text below it.
        public var footer: String?
        /// The devices on which it has its title and footer; `nil` for all.
        public var idioms: [Idiom]?
        /// The rows, without the group. A radio group is the first row of its section.
        public var specifiers: [Specifier]

        init(
            title: String? = nil, footer: String? = nil, idioms: [Idiom]? = nil, specifiers: [Specifier] = []
        ) {
            (self.title, self.footer, self.idioms, self.specifiers) = (title, footer, idioms, specifiers)
        }
    }
}
