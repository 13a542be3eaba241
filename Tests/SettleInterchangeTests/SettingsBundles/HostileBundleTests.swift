import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HostileBundleTests {
    private func row(_ file: String) -> String { "{ Type = PSChildPaneSpecifier; File = \(file); }" }

    private func pane(_ files: String...) -> String {
        "{ PreferenceSpecifiers = (\(files.map(row).joined(separator: ", "))); }"
    }

    @Test("A name that leads out of the bundle opens nothing") func paths() throws {
        let names = [
            #""../Outside""#, #""../Outside.plist""#, #""/etc/x""#, #""a/../../Outside""#, #""a//b""#, #""""#, #""/""#,
            #""a\000b""#, #""../../../../etc/passwd""#, #""./Sub""#, #""Sub/""#,
            "\"\(String(repeating: "n", count: 300))\"", "\"\(String(repeating: "a/", count: 20))b\"",
        ]
        let bundle = try withBundle([
            "Root.plist": "{ PreferenceSpecifiers = (\(names.map(row).joined(separator: ", "))); }",
            "../Outside.plist": "{ PreferenceSpecifiers = (); }", "Sub.plist": "{ PreferenceSpecifiers = (); }",
        ]) { try SettingsBundle.read(at: $0) }
        #expect(bundle.panes.count == 1 && bundle.root.specifiers.isEmpty)
        #expect(bundle.findings.map(\.index) == Array(names.indices))
        #expect(Set(bundle.findings.map(\.kind)) == [.unsafeName])
    }

    @Test("Links are not followed, wherever they lead") func links() throws {
        let bundle = try withBundle([
            "Root.plist": pane("Out", "\"Folder/Outside\"", "Inside", "Sub"), "Sub.plist": pane(),
            "../Outside.plist": pane(), "../outside.png": "x",
        ]) { folder in
            let links = [
                ("Out.plist", "../Outside.plist"), ("Folder", ".."), ("Inside.plist", "Sub.plist"),
                ("Icon-Settings.png", "../outside.png"),
            ]
            for (name, target) in links {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.appending(path: name).path, withDestinationPath: target)
            }
            return try SettingsBundle.read(at: folder)
        }
        #expect(bundle.panes.map(\.file) == ["Root", "Sub"] && bundle.icon == nil)
        #expect(
            bundle.findings.map(\.reason) == [
                "“Out.plist” can't be shown. It is a link, and links are not followed. The row is left out.",
                "“Folder/Outside.plist” can't be shown. A folder is expected here, not a file, or a link, which is not followed. "
                    + "The row is left out.",
                "“Inside.plist” can't be shown. It is a link, and links are not followed. The row is left out.",
            ])
        #expect(bundle.findings.map(\.kind) == [.unreadableFile, .unreadableFile, .unreadableFile])
    }

    @Test("A first pane that is a link, a folder or too large is an error") func roots() throws {
        try withTemporaryFolder { folder in
            let root = folder.appending(path: "Root.plist")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
            let isFolder = #expect(throws: SettingsError.self) { try SettingsBundle.read(at: folder) }
            #expect(isFolder?.description.hasSuffix("It is not a file.") == true)
            try FileManager.default.removeItem(at: root)
            try Data().write(to: root)
            let empty = #expect(throws: SettingsError.self) { try SettingsBundle.read(at: folder) }
            #expect(empty?.underlying is FormatError)
            // A file of 1 GB without a byte on the disk.
            let operations = FileOperations(POSIXSystemCalls())
            let path = FilePath(root.path)
            let file = try operations.open(path, .update)
            try operations.truncate(file, at: path, to: 1 << 30)
            try operations.close(file, at: path)
            let large = #expect(throws: SettingsError.self) { try SettingsBundle.read(at: folder) }
            #expect(large?.description.hasSuffix("It is larger than 4 MiB.") == true)
        }
    }

    @Test("Thousands of panes, and a long way to one, end at a limit") func manyPanes() throws {
        let wide = (0..<1_100).map { "p\($0)" }
        var files = Dictionary(uniqueKeysWithValues: wide.map { ("\($0).plist", pane()) })
        files["Root.plist"] = "{ PreferenceSpecifiers = (\(wide.map(row).joined(separator: ", "))); }"
        let bundle = try withBundle(files) { try SettingsBundle.read(at: $0) }
        #expect(bundle.panes.count == 1_000 && bundle.root.specifiers.count == 999)
        #expect(bundle.findings.count == 101 && bundle.findings.allSatisfy { $0.kind == .limit })
        #expect(bundle.findings.first?.index == 999)

        var deep = Dictionary(uniqueKeysWithValues: (0..<50).map { ("d\($0).plist", pane("d\($0 + 1)")) })
        deep["Root.plist"] = pane("d0")
        let long = try withBundle(deep) { try SettingsBundle.read(at: $0) }
        #expect(long.panes.count == 32 && long.findings.map(\.kind) == [.limit])
        #expect(
            long.findings.map(\.description) == [
                "d30.plist, specifier 0: “d31.plist” can't be shown. There are 32 panes before it. The row is left out."
            ])
    }

    @Test("Too many specifiers, choices and findings end at a limit") func manyParts() throws {
        let many = String(repeating: "{ Type = PSTextFieldSpecifier; Key = a; },", count: 20_001)
        let bundle = try readPane(many)
        #expect(bundle.root.specifiers.count == 20_000 && bundle.findings.map(\.kind) == [.limit])
        let wrong = try readPane(String(repeating: "1,", count: 5_000))
        #expect(wrong.root.specifiers.isEmpty && wrong.findings.count == 1_000)
        let list = String(repeating: "1,", count: 10_001)
        let choices = try readPane(
            "{ Type = PSMultiValueSpecifier; Key = a; DefaultValue = 1; Values = (\(list)); Titles = (\(list)); }")
        guard case .multiValue(let choice)? = choices.root.specifiers.first?.kind else {
            Issue.record("There is no choice.")
            return
        }
        #expect(choice.choices.count == 10_000 && choices.findings.map(\.kind) == [.limit])
    }

    @Test("Files of more than the total are left out") func total() throws {
        let long = String(repeating: "x", count: 3 << 20)
        var files = ["Root.plist": pane()]
        for number in 10..<40 { files["l\(number).lproj/Root.strings"] = "a = \(long);" }
        let bundle = try withBundle(files) { try SettingsBundle.read(at: $0) }
        #expect(bundle.localizations.count == 21 && bundle.findings.count == 9)
        #expect(
            bundle.findings.last?.description
                == "l39.lproj/Root.strings: The bundle has more than 64 MiB. Its texts are left out.")
    }

    @Test("Changed and cut bytes give a bundle, findings or an error") func mutants() throws {
        var random = SeededGenerator(seed: 0xB0_4D1E)
        let good = [UInt8](
            xmlPane(
                """
                <dict><key>Type</key><string>PSSliderSpecifier</string><key>Key</key><string>k</string>
                <key>DefaultValue</key><real>1e308</real><key>MinimumValue</key><real>-1e308</real>
                <key>MaximumValue</key><real>1e308</real></dict>
                <dict><key>Type</key><string>PSMultiValueSpecifier</string><key>Key</key><string>m</string>
                <key>Values</key><array><data>AAAA</data><date>2001-01-01T00:00:00Z</date></array>
                <key>Titles</key><array><string>a</string><string>b</string></array></dict>
                """
            ).utf8)
        let binary = [UInt8](try PropertyList.read(Data(good)).list.data(as: .binary))
        var shown = 0
        try withTemporaryFolder { folder in
            for round in 0..<400 {
                var bytes = round % 2 == 0 ? good : binary
                for _ in 0...Int.random(in: 0..<4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = .random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(.random(in: 0...255, using: &random), at: place)
                    }
                }
                try Data(bytes).write(to: folder.appending(path: "Root.plist"))
                guard let bundle = try? SettingsBundle.read(at: folder) else { continue }
                shown += 1
                #expect(bundle.localized(for: ["en"]).root.sections.count <= 3, "seed \(random.seed), round \(round)")
                for case .slider(let slider) in bundle.root.specifiers.map(\.kind) {
                    #expect(slider.minimum <= slider.maximum, "seed \(random.seed), round \(round)")
                }
            }
        }
        #expect(shown > 20)
    }
}
