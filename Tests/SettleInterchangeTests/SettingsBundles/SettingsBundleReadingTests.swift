import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SettingsBundleReadingTests {
    /// Every type with all its keys.
    private static let everything = xmlPane(
        """
        <dict><key>Type</key><string>PSTextFieldSpecifier</string><key>Key</key><string>user.name</string>
          <key>Title</key><string>Name</string><key>DefaultValue</key><string>Alice</string>
          <key>IsSecure</key><true/><key>KeyboardType</key><string>EmailAddress</string>
          <key>AutocapitalizationType</key><string>AllCharacters</string>
          <key>AutocorrectionType</key><string>No</string>
          <key>SupportedUserInterfaceIdioms</key><array><string>Phone</string><string>TV</string></array></dict>
        <dict><key>Type</key><string>PSGroupSpecifier</string><key>Title</key><string>Sound</string>
          <key>FooterText</key><string>How loud it is.</string></dict>
        <dict><key>Type</key><string>PSTitleValueSpecifier</string><key>Key</key><string>version</string>
          <key>Title</key><string>Version</string><key>DefaultValue</key><integer>2</integer>
          <key>Values</key><array><integer>1</integer><integer>2</integer></array>
          <key>Titles</key><array><string>Old</string><string>New</string></array></dict>
        <dict><key>Type</key><string>PSToggleSwitchSpecifier</string><key>Key</key><string>isOn</string>
          <key>Title</key><string>On</string><key>DefaultValue</key><string>off</string>
          <key>TrueValue</key><string>on</string><key>FalseValue</key><string>off</string></dict>
        <dict><key>Type</key><string>PSSliderSpecifier</string><key>Key</key><string>volume</string>
          <key>DefaultValue</key><real>0.5</real><key>MinimumValue</key><integer>-1</integer>
          <key>MaximumValue</key><real>1.5</real><key>MinimumValueImage</key><string>quiet.png</string>
          <key>MaximumValueImage</key><string>loud</string></dict>
        <dict><key>Type</key><string>PSMultiValueSpecifier</string><key>Key</key><string>speed</string>
          <key>Title</key><string>Speed</string><key>DefaultValue</key><integer>2</integer>
          <key>Values</key><array><integer>1</integer><integer>2</integer></array>
          <key>Titles</key><array><string>slow speed</string><string>Fast speed</string></array>
          <key>ShortTitles</key><array><string>slow</string><string>fast</string></array>
          <key>DisplaySortedByTitle</key><true/></dict>
        <dict><key>Type</key><string>PSRadioGroupSpecifier</string><key>Key</key><string>side</string>
          <key>Title</key><string>Side</string><key>FooterText</key><string>Where it is.</string>
          <key>DefaultValue</key><string>l</string><key>Values</key><array><string>l</string><string>r</string></array>
          <key>Titles</key><array><string>left</string><string>right</string></array>
          <key>DisplaySortedByTitle</key><false/></dict>
        <dict><key>Type</key><string>PSChildPaneSpecifier</string><key>Title</key><string>More</string>
          <key>File</key><string>Sub</string></dict>
        """,
        keys: """
            <key>StringsTable</key><string>Root</string><key>ApplicationGroupContainerIdentifier</key>
            <string>group.example</string>
            """)

    private static let choices = [
        SettingsBundle.Choice(title: "slow speed", shortTitle: "slow", value: .integer(1)),
        SettingsBundle.Choice(title: "Fast speed", shortTitle: "fast", value: .integer(2)),
    ]

    private static let expected: [SettingsBundle.Specifier] = [
        .init(
            .textField(
                .init(
                    isSecure: true, keyboard: .emailAddress, autocapitalization: .allCharacters, autocorrection: .no)),
            key: "user.name", title: "Name", defaultValue: .string("Alice"), idioms: [.phone, .init(rawValue: "TV")]),
        .init(.group(.init(footer: "How loud it is.")), title: "Sound"),
        .init(
            .titleValue(
                .init(choices: [.init(title: "Old", value: .integer(1)), .init(title: "New", value: .integer(2))])),
            key: "version", title: "Version", defaultValue: .integer(2)),
        .init(
            .toggle(.init(trueValue: .string("on"), falseValue: .string("off"))), key: "isOn", title: "On",
            defaultValue: .string("off")),
        .init(
            .slider(.init(minimum: -1, maximum: 1.5, minimumImage: "quiet.png", maximumImage: "loud")), key: "volume",
            defaultValue: .real(0.5)),
        .init(
            .multiValue(.init(choices: choices, isSortedByTitle: true)), key: "speed", title: "Speed",
            defaultValue: .integer(2)),
        .init(
            .radioGroup(
                .init(
                    choices: [.init(title: "left", value: .string("l")), .init(title: "right", value: .string("r"))],
                    footer: "Where it is.")),
            key: "side", title: "Side", defaultValue: .string("l")),
        .init(.childPane(.init(file: "Sub")), title: "More"),
    ]

    private static let files = [
        "Sub.plist": "{ PreferenceSpecifiers = (); }", "quiet.png": "\u{1}quiet", "loud.png": "once",
        "loud@2x.png": "twice", "Icon-Settings@3x.png": "icon", "Icon-Settings.png": "small",
    ]

    @Test("Every type is read with all its keys, in XML and in binary") func everything() throws {
        let binary = try PropertyList.read(Data(Self.everything.utf8)).list.data(as: .binary)
        for contents in [Data(Self.everything.utf8), binary] {
            let bundle = try withBundle(Self.files) { folder in
                try contents.write(to: folder.appending(path: "Root.plist"))
                return try SettingsBundle.read(at: folder)
            }
            #expect(bundle.findings == [])
            #expect(bundle.root.specifiers == Self.expected)
            #expect(bundle.root.stringsTable == "Root" && bundle.root.groupContainer == "group.example")
            #expect(bundle.root.file == "Root" && bundle.root.title == nil && bundle.title == nil)
            #expect(bundle.panes.map(\.file) == ["Root", "Sub"] && bundle.pane(named: "Sub")?.title == "More")
            #expect(bundle.pane(named: "Sub.plist") == nil && bundle.pane(named: "Root") == bundle.root)
            #expect(bundle.image(named: "quiet.png")?.data == Data("\u{1}quiet".utf8))
            let loud = bundle.image(named: "loud")
            #expect(loud?.file == "loud@2x.png" && loud?.scale == 2 && loud?.data == Data("twice".utf8))
            #expect(bundle.icon?.scale == 3 && bundle.icon?.data == Data("icon".utf8))
        }
    }

    @Test("The old text form has texts only, which are read as what they spell") func oldText() throws {
        let bundle = try readPane(
            """
            { Type = PSToggleSwitchSpecifier; Key = on; Title = On; DefaultValue = YES; },
            { Type = PSSliderSpecifier; Key = volume; DefaultValue = "0.25"; MinimumValue = 0; MaximumValue = "+01.50"; },
            { Type = PSTextFieldSpecifier; Key = "a.b"; IsSecure = YES; KeyboardType = URL; },
            { Type = PSMultiValueSpecifier; Key = speed; DefaultValue = 2; Values = (1, 2); Titles = (a, b); }
            """)
        #expect(bundle.findings == [])
        let kinds = bundle.root.specifiers.map(\.kind)
        guard case .toggle(let toggle) = kinds[0], case .slider(let slider) = kinds[1],
            case .textField(let field) = kinds[2], case .multiValue(let choice) = kinds[3]
        else { throw FixtureError() }
        #expect(toggle.isOn(bundle.root.specifiers[0].defaultValue ?? .null))
        #expect(slider == .init(minimum: 0, maximum: 1.5) && slider.position(of: .string("0.25")) == 0.25)
        #expect(field == .init(isSecure: true, keyboard: .url) && bundle.root.specifiers[2].key == "a.b")
        #expect(choice.choice(for: .integer(2))?.title == "b")
    }

    private struct FixtureError: Error {}

    @Test("Each keyboard, each way of capitals and each way of corrections has its name") func names() throws {
        for keyboard in SettingsBundle.TextField.Keyboard.allCases {
            for capitals in SettingsBundle.TextField.Autocapitalization.allCases {
                for corrections in SettingsBundle.TextField.Autocorrection.allCases {
                    let bundle = try readPane(
                        """
                        { Type = PSTextFieldSpecifier; Key = a; KeyboardType = \(keyboard.rawValue);
                          AutocapitalizationType = \(capitals.rawValue); AutocorrectionType = \(corrections.rawValue); }
                        """)
                    let field = SettingsBundle.TextField(
                        keyboard: keyboard, autocapitalization: capitals, autocorrection: corrections)
                    #expect(bundle.root.specifiers.map(\.kind) == [.textField(field)] && bundle.findings == [])
                }
            }
        }
        let names = SettingsBundle.TextField.Keyboard.allCases.map(\.rawValue)
        #expect(names == ["Alphabet", "NumbersAndPunctuation", "NumberPad", "URL", "EmailAddress"])
    }

    @Test("Groups and radio groups begin sections") func sections() throws {
        let bundle = try readPane(
            """
            { Type = PSTextFieldSpecifier; Key = a; }, { Type = PSGroupSpecifier; Title = G; FooterText = F; },
            { Type = PSTextFieldSpecifier; Key = b; }, { Type = PSTextFieldSpecifier; Key = c; },
            { Type = PSRadioGroupSpecifier; Key = d; Title = R; FooterText = "R2"; Values = (1); Titles = (x);
              DefaultValue = 1; SupportedUserInterfaceIdioms = Pad; },
            { Type = PSGroupSpecifier; }, { Type = PSGroupSpecifier; }
            """)
        let sections = bundle.root.sections
        #expect(sections.map(\.title) == [nil, "G", "R", nil, nil])
        #expect(sections.map(\.footer) == [nil, "F", "R2", nil, nil])
        #expect(sections.map { $0.specifiers.compactMap(\.key) } == [["a"], ["b", "c"], ["d"], [], []])
        #expect(sections[2].idioms == [.pad])
        #expect(!sections[2].specifiers[0].isShown(on: .phone) && sections[0].specifiers[0].isShown(on: .phone))
        #expect(SettingsBundle.Pane(specifiers: []).sections.isEmpty)
    }

    @Test("A child pane may be named with its extension, and lie in a folder") func childPanes() throws {
        let bundle = try withBundle([
            "Root.plist": """
            { PreferenceSpecifiers = ({ Type = PSChildPaneSpecifier; Title = One; File = "Panes/One.plist"; },
              { Type = PSChildPaneSpecifier; Title = Two; File = Two; },
              { Type = PSChildPaneSpecifier; Title = Again; File = "Two.plist"; }); }
            """,
            "Panes/One.plist": """
            { Title = First; PreferenceSpecifiers = ({ Type = PSChildPaneSpecifier; File = "Panes/Deep"; }); }
            """,
            "Panes/Deep.plist": "{ PreferenceSpecifiers = ({ Type = PSTextFieldSpecifier; Key = k; }); }",
            "Two.plist": "{ PreferenceSpecifiers = (); }",
        ]) { try SettingsBundle.read(at: $0) }
        #expect(bundle.findings == [])
        #expect(bundle.panes.map(\.file) == ["Root", "Panes/One", "Panes/Deep", "Two"])
        #expect(bundle.panes.map(\.title) == [nil, "First", nil, "Two"])
        let files = bundle.root.specifiers.map { specifier -> String? in
            if case .childPane(let child) = specifier.kind { child.file } else { nil }
        }
        #expect(files == ["Panes/One", "Two", "Two"])
        #expect(bundle.pane(named: "Panes/Deep")?.specifiers.map(\.key) == ["k"])
    }

    @Test("The program around the bundle gives the title and the icon") func program() throws {
        try withTemporaryFolder { folder in
            let png = "\u{89}PNG\r\n\u{1A}\n"
            try write(
                [
                    "a.app/Settings.bundle/Root.plist": "{ PreferenceSpecifiers = (); }",
                    "a.app/Info.plist":
                        "{ CFBundleName = short; CFBundleDisplayName = Long; CFBundleIconFiles = (none, app); "
                        + "CFBundleIdentifier = com.example.a; }",
                    "a.app/de.lproj/InfoPlist.strings": "CFBundleDisplayName = Lang;",
                    "b.app/Contents/Resources/Settings.bundle/Root.plist": "{ PreferenceSpecifiers = (); }",
                    "b.app/Contents/Info.plist": "{ CFBundleName = short; }",
                    "c/Settings.bundle/Root.plist": "{ PreferenceSpecifiers = (); }",
                    "c/Settings.bundle/Info.plist": "{ CFBundleDisplayName = own; }",
                    "c/Info.plist": "{ CFBundleDisplayName = other; }", "c/Icon-Settings.png": png,
                ], to: folder)
            let icon = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
            try icon.write(to: folder.appending(path: "a.app/app@2x.png"))
            let first = try SettingsBundle.read(at: folder.appending(path: "a.app/Settings.bundle"))
            #expect(first.title == "Long" && first.localized(for: ["de"]).title == "Lang")
            #expect(first.localized(for: ["fr"]).title == "Long")
            #expect(
                ["a.app/Settings.bundle", "b.app/Contents/Resources/Settings.bundle", "c/Settings.bundle"].map {
                    SettingsBundle.programIdentifier(at: folder.appending(path: $0))
                } == ["com.example.a", nil, nil])
            #expect(first.icon?.data == icon && first.icon?.mediaType == "image/png" && first.icon?.scale == 2)
            let second = try SettingsBundle.read(
                at: folder.appending(path: "b.app/Contents/Resources/Settings.bundle/"))
            #expect(second.title == "short" && second.icon == nil)
            let third = folder.appending(path: "c/Settings.bundle")
            #expect(try SettingsBundle.read(at: third).title == "own")
            try FileManager.default.removeItem(at: third.appending(path: "Info.plist"))
            #expect(try SettingsBundle.read(at: third).title == nil)
            let told = try SettingsBundle.read(at: third, of: folder.appending(path: "c"))
            #expect(told.title == "other" && told.icon == nil)
        }
    }

    @Test("A bundle that is not there, or has no first pane, is an error that names the file") func errors() throws {
        try withTemporaryFolder { folder in
            let missing = #expect(throws: SettingsError.self) {
                try SettingsBundle.read(at: folder.appending(path: "x.bundle"))
            }
            #expect(missing?.code == .settingsBundle && missing?.description.contains("x.bundle") == true)
            let empty = #expect(throws: SettingsError.self) { try SettingsBundle.read(at: folder) }
            let path = folder.appending(path: "Root.plist").path
            #expect(empty?.description == "The settings bundle can't be read: “\(path)”: There is no such file.")
            try Data("{ a = ; }".utf8).write(to: folder.appending(path: "Root.plist"))
            let broken = #expect(throws: SettingsError.self) { try SettingsBundle.read(at: folder) }
            #expect(broken?.underlying is FormatError && broken?.description.contains("Line 1") == true)
            try Data("(1)".utf8).write(to: folder.appending(path: "Root.plist"))
            let array = #expect(throws: SettingsError.self) { try SettingsBundle.read(at: folder) }
            #expect(array?.description.hasSuffix("Its root is not a dictionary.") == true)
        }
    }

    @Test("Values are compared as people write them") func looseValues() throws {
        let choice = SettingsBundle.MultiValue(choices: [
            .init(title: "one", value: .integer(1)), .init(title: "text", value: .string("1")),
            .init(title: "half", value: .string("0.50")), .init(title: "on", value: .string("on")),
        ])
        let found: [(SettingValue, String?)] = [
            (.integer(1), "one"), (.string("1"), "text"), (.string(" 01"), "one"), (.real(1), "one"),
            (.bool(true), "one"), (.real(0.5), "half"), (.string(".5"), "half"), (.number("5e-1"), "half"),
            (.string("on"), "on"), (.string("On"), nil), (.integer(2), nil), (.string(""), nil), (.string("-"), nil),
            (.string("1x"), nil), (.string("."), nil), (.real(.nan), nil), (.null, nil), (.array([]), nil),
        ]
        for (value, title) in found { #expect(choice.choice(for: value)?.title == title, "\(value)") }
        let toggle = SettingsBundle.Toggle()
        let states: [(SettingValue, Bool)] = [
            (.bool(true), true), (.integer(1), true), (.string("1"), true), (.string("YES"), true), (.integer(7), true),
            (.bool(false), false), (.string("0"), false), (.string("no"), false), (.null, false),
            (.data(Data()), false),
        ]
        for (value, isOn) in states { #expect(toggle.isOn(value) == isOn, "\(value)") }
        let inverted = SettingsBundle.Toggle(trueValue: .bool(false), falseValue: .bool(true))
        #expect(
            !inverted.isOn(.string("YES")) && inverted.isOn(.integer(0)) && inverted.value(isOn: true) == .bool(false))
        let texts = SettingsBundle.Toggle(trueValue: .string("2"), falseValue: .integer(3))
        #expect(texts.isOn(.integer(2)) && !texts.isOn(.string("3")) && !texts.isOn(.bool(true)))
        let slider = SettingsBundle.Slider(minimum: 1, maximum: 3)
        #expect(slider.position(of: .string("2")) == 2 && slider.position(of: .integer(9)) == 3)
        #expect(slider.position(of: .real(-.infinity)) == nil && slider.position(of: .string("x")) == nil)
        #expect(slider.position(of: .number("1e400")) == nil)
    }

    @Test("Choices are sorted by title where the bundle wants it") func sortedChoices() {
        let choices = ["b", "A", "c", "a"].enumerated()
            .map { SettingsBundle.Choice(title: $0.element, value: .integer(Int64($0.offset))) }
        let sorted = SettingsBundle.MultiValue(choices: choices, isSortedByTitle: true)
        #expect(sorted.shownChoices.map(\.title) == ["A", "a", "b", "c"] && sorted.choices == choices)
        #expect(SettingsBundle.RadioGroup(choices: choices).shownChoices == choices)
    }
}
