import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SettingsBundleLanguagesTests {
    /// The text that a person with these languages gets for `T`, from folders of which each has its own name for it.
    private func text(_ wanted: [String], of folders: [String]) -> String? {
        let localizations = folders.map {
            SettingsBundle.Localization(language: $0, tables: ["Root": StringTable([.init(key: "T", value: $0)])])
        }
        let specifier = SettingsBundle.Specifier(.group(.init()), title: "T")
        let bundle = SettingsBundle(
            root: .init(stringsTable: "Root", specifiers: [specifier]), localizations: localizations)
        return bundle.localized(for: wanted).root.specifiers[0].title
    }

    @Test("Each language comes with what it falls back to, before the next one") func order() {
        #expect(text(["en-US"], of: ["en", "en-US"]) == "en-US")
        #expect(text(["en-US"], of: ["en", "en_US"]) == "en_US")
        #expect(text(["en_us"], of: ["en", "en-US"]) == "en-US")
        #expect(text(["EN-us"], of: ["de", "en"]) == "en")
        #expect(text(["en-US"], of: ["English", "de"]) == "English")
        #expect(text(["en"], of: ["de", "en-us"]) == "en-us")
        #expect(text(["en"], of: ["en-us", "en"]) == "en")
        #expect(text(["en-AU", "de"], of: ["de", "en-GB"]) == "en-GB")
        #expect(text(["fr", "de", "en"], of: ["Base", "en", "de"]) == "de")
        #expect(text(["fr"], of: ["en", "Base"]) == "Base")
        #expect(text(["fr"], of: ["en", ""]) == "")
        #expect(text(["fr"], of: ["", "Base"]) == "Base")
        #expect(text(["fr"], of: ["en", "de"]) == "T")
        #expect(text([], of: ["en", "de"]) == "T")
        #expect(text(["de_DE.UTF-8@euro"], of: ["de"]) == "de")
        #expect(text(["", "base", "-", "_"], of: ["en"]) == "T")
    }

    @Test("Languages in several scripts are kept apart") func scripts() {
        #expect(text(["zh-Hant-TW"], of: ["zh-Hans", "zh-Hant"]) == "zh-Hant")
        #expect(text(["zh-TW"], of: ["zh_CN", "zh-Hant"]) == "zh-Hant")
        #expect(text(["zh-HK"], of: ["zh", "zh_TW"]) == "zh_TW")
        #expect(text(["zh-Hant", "en"], of: ["zh", "zh_CN", "en"]) == "en")
        #expect(text(["zh"], of: ["zh_TW", "zh_CN"]) == "zh_CN")
        #expect(text(["zh-SG"], of: ["zh-Hant", "zh-Hans"]) == "zh-Hans")
        #expect(text(["sr-Latn"], of: ["sr-Cyrl", "en"]) == "T")
    }

    @Test("All texts are replaced, each by the first table that has it") func texts() throws {
        let bundle = try withBundle([
            "Root.plist": """
            { StringsTable = Root; PreferenceSpecifiers = (
              { Type = PSGroupSpecifier; Title = G; FooterText = F; },
              { Type = PSToggleSwitchSpecifier; Key = G; Title = T; DefaultValue = YES; },
              { Type = PSMultiValueSpecifier; Key = m; Title = M; DefaultValue = T; Values = (T); Titles = (C);
                ShortTitles = (S); },
              { Type = PSTitleValueSpecifier; Key = v; DefaultValue = T; Values = (T); Titles = (C); },
              { Type = PSRadioGroupSpecifier; Key = r; Title = R; FooterText = F; DefaultValue = T; Values = (T);
                Titles = (C); },
              { Type = PSChildPaneSpecifier; Title = P; File = Sub; },
              { Type = PSChildPaneSpecifier; Title = P; File = Plain; }); }
            """,
            "Sub.plist": """
            { StringsTable = "Other.strings"; PreferenceSpecifiers = (
              { Type = PSTextFieldSpecifier; Key = k; Title = T; }); }
            """,
            "Plain.plist": "{ PreferenceSpecifiers = ({ Type = PSTextFieldSpecifier; Key = k; Title = T; }); }",
            "en.lproj/Root.strings": "G = Group; F = Footer; T = Title; C = Choice; S = Short; R = Radio; P = Pane;",
            "de.lproj/Root.strings": "G = Gruppe; F = Unten; M = Wahl; P = Seite;",
            "de.lproj/Other.strings": "T = Titel;",
            "de.lproj/InfoPlist.strings": "CFBundleDisplayName = Programm;",
        ]) { try SettingsBundle.read(at: $0) }
        #expect(bundle.findings == [] && bundle.localizations.map(\.language) == ["de", "en"])
        let german = bundle.localized(for: ["de-AT", "en"])
        let specifiers = german.root.specifiers
        #expect(specifiers.map(\.title) == ["Gruppe", "Title", "Wahl", nil, "Radio", "Seite", "Seite"])
        #expect(specifiers[0].kind == .group(.init(footer: "Unten")))
        #expect(
            specifiers[2].kind
                == .multiValue(
                    .init(choices: [.init(title: "Choice", shortTitle: "Short", value: .string("T"))])))
        #expect(specifiers[3].kind == .titleValue(.init(choices: [.init(title: "Choice", value: .string("T"))])))
        #expect(
            specifiers[4].kind
                == .radioGroup(.init(choices: [.init(title: "Choice", value: .string("T"))], footer: "Unten")))
        #expect(specifiers.map(\.key) == bundle.root.specifiers.map(\.key))
        #expect(specifiers.map(\.defaultValue) == bundle.root.specifiers.map(\.defaultValue))
        #expect(german.title == "Programm" && german.localizations.isEmpty)
        #expect(
            german.pane(named: "Sub")?.title == "Seite" && german.pane(named: "Sub")?.specifiers[0].title == "Titel")
        // A pane without a table has the same texts everywhere.
        #expect(german.pane(named: "Plain")?.specifiers[0].title == "T")
        #expect(german.localized(for: ["en"]) == german)
        #expect(bundle.localized(for: []).root == bundle.root)
    }

    @Test("Tables beside the panes, empty ones, and links to them") func tables() throws {
        let bundle = try withBundle([
            "Root.plist": "{ StringsTable = Root; PreferenceSpecifiers = ({ Type = PSGroupSpecifier; Title = G; }); }",
            "Root.strings": "G = Beside;", "fr.lproj/Root.strings": "", "x.lproj": "no folder",
        ]) { folder in
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "de.lproj").path, withDestinationPath: "fr.lproj")
            return try SettingsBundle.read(at: folder)
        }
        #expect(bundle.localizations.map(\.language) == ["", "fr"])
        #expect(bundle.localized(for: ["de"]).root.specifiers[0].title == "Beside")
        #expect(bundle.findings == [])
    }
}
