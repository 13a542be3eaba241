import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

/// What InAppSettingsKit adds to bundles: kinds of specifiers, and other lists of a pane.
@Suite(.timeLimit(.minutes(10))) struct InAppSettingsKitTests {
    private static let specifiers = """
        { Type = IASKTextViewSpecifier; Key = note; Title = Note; DefaultValue = "a b"; KeyboardType = EmailAddress;
          IASKPlaceholder = "Type here"; },
        { Type = IASKDatePickerSpecifier; Key = alarm; Title = Alarm; DatePickerMode = Time; MinuteInterval = 5; },
        { Type = IASKOpenURLSpecifier; Title = Help; File = "https://example.com/?a=b&c"; },
        { Type = IASKMailComposeSpecifier; Title = Mail; IASKMailComposeToRecipents = ("a@example.com", "b@example.com");
          IASKMailComposeCcRecipents = "c@example.com"; IASKMailComposeSubject = Subject; IASKMailComposeBody = Body; },
        { Type = IASKButtonSpecifier; Key = reset; Title = "Log out"; }
        """

    @Test("Its kinds are read with their properties, and other entries are kept") func kinds() throws {
        let bundle = try readPane(Self.specifiers)
        #expect(bundle.findings.isEmpty, "\(bundle.findings)")
        let read = bundle.root.specifiers
        try #require(read.count == 5)
        #expect(read[0].kind == .textView(.init(keyboard: .emailAddress)) && read[0].key == "note")
        #expect(read[0].defaultValue == .string("a b") && read[0].unknown["IASKPlaceholder"] == .string("Type here"))
        #expect(read[1].kind == .datePicker(.init(mode: .time)) && read[1].key == "alarm")
        #expect(read[2].kind == .link(.init(url: "https://example.com/?a=b&c")) && read[2].title == "Help")
        let draft = SettingsBundle.MailDraft(
            recipients: ["a@example.com", "b@example.com"], copyRecipients: ["c@example.com"], subject: "Subject",
            body: "Body")
        #expect(read[3].kind == .mailDraft(draft))
        #expect(read[4].kind == .button && read[4].key == nil && read[4].unknown["Key"] == .string("reset"))
    }

    @Test("Its kinds are written as they are read") func writing() throws {
        let bundle = try readPane(Self.specifiers)
        let again = try withTemporaryFolder { folder in
            let copy = folder.appending(path: "Settings.bundle")
            try bundle.write(to: copy)
            return try SettingsBundle.read(at: copy)
        }
        #expect(again.root == bundle.root && again.findings.isEmpty)
    }

    @Test("A mistake in one of them is reported") func findings() throws {
        let bundle = try readPane(
            """
            { Type = IASKOpenURLSpecifier; Title = Help; }, { Type = IASKDatePickerSpecifier; Title = Alarm; },
            { Type = IASKDatePickerSpecifier; Key = alarm; DatePickerMode = Never; },
            { Type = IASKMailComposeSpecifier; Title = Mail; IASKMailComposeToRecipents = { a = b; }; }
            """)
        #expect(bundle.findings.map(\.index) == [0, 1, 2, 3])
        #expect(bundle.findings.map(\.kind) == [.missingKey, .missingKey, .wrongValue, .wrongValue])
        #expect(bundle.root.specifiers.map(\.kind) == [.datePicker(.init()), .mailDraft(.init())])
    }

    private static func pane(_ key: String, _ rest: String = "") -> String {
        "{ PreferenceSpecifiers = ({ Type = PSToggleSwitchSpecifier; Key = \(key); DefaultValue = NO; } \(rest)); }"
    }

    @Test(
        "Of a pane's lists, the one for pads comes first, and those for the program itself are for it alone",
        arguments: [
            (SettingsBundle.Presentation.settingsApp, ["pad", "more"]), (.inApp, ["own", "ownMore"]),
        ])
    func variants(presentation: SettingsBundle.Presentation, keys: [String]) throws {
        let row = ", { Type = PSChildPaneSpecifier; File = More; }"
        let files = [
            "Root.plist": Self.pane("plain", row), "Root~ipad.plist": Self.pane("pad", row),
            "Root~iphone.plist": Self.pane("phone"), "Root.inApp.plist": Self.pane("own", row),
            "More.plist": Self.pane("more"), "More.inApp.plist": Self.pane("otherMore"),
            "More~ipad.inApp.plist": Self.pane("ownMore"),
        ]
        let bundle = try withBundle(files) { try SettingsBundle.read(at: $0, as: presentation) }
        #expect(bundle.panes.flatMap(\.specifiers).compactMap(\.key) == keys)
        #expect(bundle.panes.map(\.file) == ["Root", "More"] && bundle.findings.isEmpty, "\(bundle.findings)")
    }

    @Test("A list that can't be read is reported, and the next one is read") func unreadableVariant() throws {
        let files = ["Root.plist": Self.pane("plain"), "Root~ipad.plist": "{"]
        let bundle = try withBundle(files) { try SettingsBundle.read(at: $0) }
        #expect(bundle.root.specifiers.map(\.key) == ["plain"])
        #expect(bundle.findings.map(\.file) == ["Root~ipad.plist"])
        #expect(bundle.findings.first?.kind == .unreadableFile)
    }

    @Test("Line breaks of an XML list are line feeds, whatever the editor, and a reference stays as it is")
    func lineBreaks() throws {
        let specifier = """
            <dict><key>Type</key><string>PSGroupSpecifier</string><key>Title</key><string>a
            b</string><key>FooterText</key><string>c&#13;
            d</string></dict>
            """
        for lineBreak in ["\n", "\r\n", "\r"] {
            let files = ["Root.plist": xmlPane(specifier).replacing("\n", with: lineBreak)]
            let bundle = try withBundle(files) { try SettingsBundle.read(at: $0) }
            let section = try #require(bundle.root.sections.first)
            #expect(section.title == "a\nb" && section.footer == "c\r\nd", "\(lineBreak.debugDescription)")
        }
    }
}
