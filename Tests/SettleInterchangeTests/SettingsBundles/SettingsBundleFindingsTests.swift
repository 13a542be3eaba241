import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SettingsBundleFindingsTests {
    /// What one specifier in the old text form gives.
    private func findings(_ specifier: String) throws -> (kept: Bool, findings: [String]) {
        let bundle = try readPane("{ Type = PSGroupSpecifier; }, \(specifier)")
        #expect(bundle.findings.allSatisfy { $0.file == "Root.plist" && $0.index == 1 })
        return (bundle.root.specifiers.count == 2, bundle.findings.map { "\($0.kind): \($0.reason)" })
    }

    static let mistakes: [(specifier: String, isKept: Bool, findings: [String])] = [
        ("{ Key = a; }", false, ["missingKey: “Type” is missing. The specifier is left out."]),
        (
            "{ Type = PSOther; }", false,
            ["unknownType: The type “PSOther” is not known. The specifier is left out."]
        ),
        ("text", false, ["wrongValue: The specifier is not a dictionary. It is left out."]),
        (
            "{ Type = PSTextFieldSpecifier; }", false,
            ["missingKey: “Key” is missing. The specifier is left out."]
        ),
        (
            #"{ Type = PSTextFieldSpecifier; Key = ""; }"#, false,
            ["missingKey: “Key” is missing. The specifier is left out."]
        ),
        (
            "{ Type = PSTextFieldSpecifier; Key = a; KeyboardType = Piano; AutocorrectionType = no; Title = (); }",
            true,
            [
                "wrongValue: “KeyboardType” can't be “Piano”. It is taken as “Alphabet”.",
                "wrongValue: “AutocorrectionType” can't be “no”. It is taken as “Default”.",
                "wrongValue: “Title” is not a text. It is left out.",
            ]
        ),
        (
            "{ Type = PSTextFieldSpecifier; Key = a; IsSecure = (); DefaultValue = {}; }", true,
            [
                "wrongValue: “IsSecure” is neither true nor false. It is taken as false.",
                "wrongValue: “DefaultValue” is an array or a dictionary. It is left out.",
            ]
        ),
        (
            "{ Type = PSTitleValueSpecifier; Title = a; }", false,
            ["missingKey: “Key” and “DefaultValue” are missing. The specifier is left out."]
        ),
        (
            "{ Type = PSTitleValueSpecifier; DefaultValue = a; }", true,
            ["missingKey: “Key” is missing. The title always has its default."]
        ),
        (
            "{ Type = PSTitleValueSpecifier; Key = a; }", true,
            ["missingKey: “DefaultValue” is missing. The title is empty while nothing is stored."]
        ),
        (
            "{ Type = PSToggleSwitchSpecifier; Key = a; }", true,
            ["missingKey: “DefaultValue” is missing. The switch is off while nothing is stored."]
        ),
        (
            "{ Type = PSToggleSwitchSpecifier; Key = a; TrueValue = 1; FalseValue = 1; DefaultValue = 2; }", true,
            [
                "wrongValue: “TrueValue” and “FalseValue” are the same. The switch does not move.",
                "defaultValue: “DefaultValue” is neither of the two values. The switch is off while nothing is stored.",
            ]
        ),
        (
            "{ Type = PSSliderSpecifier; Key = a; }", true,
            [
                "missingKey: “MinimumValue” is missing. It is taken as 0.0.",
                "missingKey: “MaximumValue” is missing. It is taken as 1.0.",
                "missingKey: “DefaultValue” is missing. The slider is at its lowest value while nothing is stored.",
            ]
        ),
        (
            "{ Type = PSSliderSpecifier; Key = a; MinimumValue = 9; MaximumValue = 3; DefaultValue = 10; }", true,
            [
                "wrongValue: “MinimumValue” is greater than “MaximumValue”. They are swapped.",
                "defaultValue: “DefaultValue” is out of the range. The slider is at the nearest end of it.",
            ]
        ),
        (
            "{ Type = PSSliderSpecifier; Key = a; MinimumValue = x; MaximumValue = 3; DefaultValue = y; }", true,
            [
                "wrongValue: “MinimumValue” is not a number. It is taken as 0.0.",
                "defaultValue: “DefaultValue” is not a number. The slider is at its lowest value while nothing is stored.",
            ]
        ),
        (
            "{ Type = PSMultiValueSpecifier; Key = a; DefaultValue = 1; Values = (1, 2, 3); Titles = (x, y); }", true,
            ["countMismatch: There are 3 values and 2 titles. The first 2 are taken."]
        ),
        (
            "{ Type = PSMultiValueSpecifier; Key = a; DefaultValue = 9; Values = (1); Titles = (x); }", true,
            ["defaultValue: “DefaultValue” is not one of the values. Nothing is chosen while nothing is stored."]
        ),
        (
            "{ Type = PSMultiValueSpecifier; Key = a; Values = (1); Titles = (x); ShortTitles = (p, q); }", true,
            [
                "countMismatch: There are 1 values and 2 short titles. Values without one have their title.",
                "missingKey: “DefaultValue” is missing. Nothing is chosen while nothing is stored.",
            ]
        ),
        (
            "{ Type = PSRadioGroupSpecifier; Key = a; DefaultValue = 2; Values = ((1), 2); Titles = (x, y); }", true,
            ["wrongValue: Value 0 is not a single value, or its title is not a text. It is left out."]
        ),
        (
            "{ Type = PSRadioGroupSpecifier; Key = a; Values = 1; }", false,
            [
                "wrongValue: “Values” is not an array. It is left out.",
                "missingKey: There are no values with titles. The specifier is left out.",
            ]
        ),
        (
            "{ Type = PSTextFieldSpecifier; Key = a; SupportedUserInterfaceIdioms = {}; }", true,
            ["wrongValue: “SupportedUserInterfaceIdioms” is not an array of names. It is left out."]
        ),
        ("{ Type = PSChildPaneSpecifier; }", false, ["missingKey: “File” is missing. The row is left out."]),
        (
            "{ Type = PSChildPaneSpecifier; File = Sub; }", false,
            ["missingFile: “Sub.plist” can't be shown. There is no such file. The row is left out."]
        ),
        (
            "{ Type = PSChildPaneSpecifier; File = Root; }", false,
            ["circularPane: “Root.plist” leads back to itself. The row is left out."]
        ),
        (
            #"{ Type = PSChildPaneSpecifier; File = "../Sub"; }"#, false,
            ["unsafeName: “File” is not a path within the bundle. The row is left out."]
        ),
    ]

    @Test("Each mistake is a finding, and the rest is shown", arguments: mistakes.indices) func mistake(index: Int)
        throws
    {
        let mistake = Self.mistakes[index]
        let (isKept, found) = try findings(mistake.specifier)
        #expect(isKept == mistake.isKept, "\(mistake.specifier)")
        #expect(found == mistake.findings, "\(mistake.specifier)")
    }

    @Test("A finding names the file and the specifier") func descriptions() throws {
        let bundle = try withBundle([
            "Root.plist": "{ PreferenceSpecifiers = ({ Type = PSChildPaneSpecifier; File = \"Panes/Sub\"; }); }",
            "Panes/Sub.plist": "{ PreferenceSpecifiers = (1); }", "de.lproj/Root.strings": "a = ;",
        ]) { try SettingsBundle.read(at: $0) }
        #expect(bundle.findings.count == 2 && bundle.panes.count == 2)
        #expect(
            bundle.findings.first?.description
                == "Panes/Sub.plist, specifier 0: The specifier is not a dictionary. It is left out.")
        #expect(bundle.findings.last?.description.hasPrefix("de.lproj/Root.strings: Line 1, column ") == true)
        #expect(bundle.findings.last?.kind == .unreadableFile)
    }

    @Test("A list without specifiers is an empty pane") func emptyPanes() throws {
        let missing = try withBundle(["Root.plist": "{ a = b; }"]) { try SettingsBundle.read(at: $0) }
        #expect(missing.root.specifiers.isEmpty)
        #expect(
            missing.findings.map(\.description) == [
                "Root.plist: “PreferenceSpecifiers” is missing. The pane is empty."
            ])
        let wrong = try withBundle(["Root.plist": "{ PreferenceSpecifiers = b; }"]) { try SettingsBundle.read(at: $0) }
        #expect(
            wrong.findings.map(\.description) == [
                "Root.plist: “PreferenceSpecifiers” is not an array. The pane is empty."
            ])
    }

    @Test("Panes that lead back to one before are cut there") func cycles() throws {
        func child(_ names: String...) -> String {
            let rows = names.map { "{ Type = PSChildPaneSpecifier; File = \($0); }" }.joined(separator: ", ")
            return "{ PreferenceSpecifiers = (\(rows)); }"
        }
        let bundle = try withBundle([
            "Root.plist": child("A", "B"), "A.plist": child("B"), "B.plist": child("C", "A"),
            "C.plist": child("Root", "C"),
        ]) { try SettingsBundle.read(at: $0) }
        #expect(bundle.panes.map(\.file) == ["Root", "A", "B", "C"])
        #expect(bundle.panes.map(\.specifiers.count) == [2, 1, 1, 0])
        #expect(
            bundle.findings.map(\.description) == [
                "C.plist, specifier 0: “Root.plist” leads back to itself. The row is left out.",
                "C.plist, specifier 1: “C.plist” leads back to itself. The row is left out.",
                "B.plist, specifier 1: “A.plist” leads back to itself. The row is left out.",
            ])
    }

    @Test("A picture that is missing, or is named by a path outside, is a finding") func pictures() throws {
        let bundle = try readPane(
            """
            { Type = PSSliderSpecifier; Key = a; MinimumValue = 0; MaximumValue = 1; DefaultValue = 0;
              MinimumValueImage = "../secret.png"; MaximumValueImage = loud; }
            """)
        #expect(bundle.images.isEmpty && bundle.root.specifiers.count == 1)
        #expect(
            bundle.findings.map(\.description) == [
                "Root.plist: The name of a picture is not a path within the bundle. It is left out.",
                "Root.plist: There is no picture “loud” of 1 MiB or less. It is left out.",
            ])
    }
}
