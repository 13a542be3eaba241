import Settle

extension SettingsBundle {
    /// Returns the bundle with its texts in the user's languages: titles, footers, and the names of choices.
    ///
    /// Each text is that of the first table that has it, in the user's order of preference. For `en-US` these are the
    /// tables of `en-US.lproj`, or `en_US.lproj`, then `en.lproj`, or `English.lproj`, then those of other regions with
    /// the same script; each language comes with all of these before the next one. Last are `Base.lproj` and the tables
    /// without a language. A text that no table has stays as in the pane. Values and keys are never changed.
    ///
    /// The result has no ``localizations``: its texts are no longer keys.
    ///
    /// - Parameter languages: BCP 47 tags, the preferred one first. Case does not matter, and an underscore is a
    ///   hyphen.
    public func localized(for languages: [String]) -> SettingsBundle {
        let order = LanguageMatch(localizations.map(\.language)).order(for: languages).map { localizations[$0] }
        let texts = BundleTexts(order)
        var bundle = self
        bundle.localizations = []
        bundle.title = order.lazy.compactMap { $0.tables["InfoPlist"]?.programTitle }.first ?? title
        bundle.root = texts.localized(root, titledBy: nil)
        let referrers = referrers()
        bundle.children = children.map { texts.localized($0, titledBy: referrers[Name($0.file)]) }
        return bundle
    }

    /// Returns the language of most texts for a user, as a BCP 47 tag in lowercase: that of the first tables that
    /// ``localized(for:)`` searches. `nil` if these are `Base.lproj` or tables without a language.
    ///
    /// - Parameter languages: As for ``localized(for:)``.
    public func language(for languages: [String]) -> String? {
        let match = LanguageMatch(localizations.map(\.language))
        return match.order(for: languages).first.flatMap { match.tag(at: $0) }
    }

    /// Returns, for each pane, the table of the first pane with a row that leads to it: the row's title may be the
    /// pane's.
    private func referrers() -> [Name: String] {
        var tables: [Name: String] = [:]
        for pane in panes {
            for case .childPane(let child) in pane.specifiers.map(\.kind) where tables[Name(child.file)] == nil {
                tables[Name(child.file)] = pane.stringsTable ?? ""
            }
        }
        return tables
    }
}

/// The tables of a bundle, in the user's order of languages.
private struct BundleTexts {
    private let localizations: [SettingsBundle.Localization]

    init(_ localizations: [SettingsBundle.Localization]) { self.localizations = localizations }

    func localized(_ pane: SettingsBundle.Pane, titledBy referrer: String?) -> SettingsBundle.Pane {
        var pane = pane
        let table = pane.stringsTable
        pane.title = pane.title.map { text($0, table) ?? text($0, referrer) ?? $0 }
        pane.titleOfRow = pane.titleOfRow.map { text($0, table) ?? text($0, referrer) ?? $0 }
        pane.specifiers = pane.specifiers.map { specifier in
            var specifier = specifier
            specifier.title = specifier.title.map { text($0, table) ?? $0 }
            specifier.kind = localized(specifier.kind, table)
            return specifier
        }
        return pane
    }

    private func localized(
        _ kind: SettingsBundle.Specifier.Kind, _ table: String?
    ) -> SettingsBundle.Specifier.Kind {
        switch kind {
        case .group(var group):
            group.footer = group.footer.map { text($0, table) ?? $0 }
            return .group(group)
        case .titleValue(var value):
            value.choices = localized(value.choices, table)
            return .titleValue(value)
        case .multiValue(var value):
            value.choices = localized(value.choices, table)
            return .multiValue(value)
        case .radioGroup(var group):
            group.choices = localized(group.choices, table)
            group.footer = group.footer.map { text($0, table) ?? $0 }
            return .radioGroup(group)
        case .mailDraft(var draft):
            draft.subject = draft.subject.map { text($0, table) ?? $0 }
            draft.body = draft.body.map { text($0, table) ?? $0 }
            return .mailDraft(draft)
        case .textField, .toggle, .slider, .childPane, .textView, .datePicker, .link, .button: return kind
        }
    }

    private func localized(_ choices: [SettingsBundle.Choice], _ table: String?) -> [SettingsBundle.Choice] {
        choices.map { choice in
            SettingsBundle.Choice(
                title: text(choice.title, table) ?? choice.title,
                shortTitle: choice.shortTitle.map { text($0, table) ?? $0 }, value: choice.value)
        }
    }

    private func text(_ key: String, _ table: String?) -> String? {
        guard let table, !table.isEmpty, !key.isEmpty else { return nil }
        // Some bundles name the file.
        let name = table.without(ending: ".strings") ?? table
        return localizations.lazy.compactMap { $0.tables[name]?[key] }.first
    }
}
