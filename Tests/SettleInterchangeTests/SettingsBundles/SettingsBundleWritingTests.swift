import FoundationEssentials
import Settle
import SettleInterchange
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SettingsBundleWritingTests {
    private enum Theme: String, Codable, CaseIterable, Sendable {
        case light, darkBlue
    }

    private struct Sound: SettingsGroup {
        @Setting(in: 0...1) var volume = 0.5
        @Setting var isMuted = false
    }

    private struct About: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var version = "1.0"
        @Setting var seal: Secret<String>?
    }

    private struct Player: SettingsGroup {
        @Setting(title: "User", help: "Who plays.") var name = "Alice"
        @Setting var theme = Theme.light
        @Setting(in: 0...20) var attemptCount = 3
        @Setting(in: 1...65_535, title: "Port", unit: "TCP") var port = 80
        @Setting var offset = -1.5
        @Setting var home: URL?
        @Setting var start = Date(timeIntervalSince1970: 0)
        @Setting var interval = Duration.seconds(90)
        @Setting var password: Secret<String>?
        @Setting var list = [1, 2]
        @Setting var bytes = Data([1])
        @Setting(.oneOf(["a", "b"])) var letter = "b"
        let about = About()
        let sound = Sound()
    }

    private func described(_ tables: [String: StringTable] = [:]) async throws -> SettingsBundle {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Player.self)
        return withExtendedLifetime(settings) {
            SettingsBundle(describing: store.file.schema(), title: "Player", tables: tables)
        }
    }

    @Test("Each kind of setting has its form") func forms() async throws {
        let bundle = try await described()
        func specifier(_ key: String) -> SettingsBundle.Specifier? {
            bundle.panes.flatMap(\.specifiers).first { $0.key == key }
        }
        #expect(
            bundle.panes.map(\.file) == ["Root", "about", "sound"] && bundle.pane(named: "sound")?.title == "Sound")
        #expect(
            specifier("name")
                == .init(.textField(.init()), key: "name", title: "User", defaultValue: .string("Alice")))
        #expect(
            specifier("theme")
                == .init(
                    .multiValue(
                        .init(choices: [
                            .init(title: "Light", value: .string("light")),
                            .init(title: "Dark blue", value: .string("darkBlue")),
                        ])), key: "theme", title: "Theme", defaultValue: .string("light")))
        guard case .multiValue(let counts)? = specifier("attemptCount")?.kind else {
            Issue.record("A short range is no choice.")
            return
        }
        #expect(counts.choices.map(\.value) == (0...20).map { .integer($0) })
        #expect(specifier("attemptCount")?.title == "Attempt count")
        #expect(
            specifier("port")
                == .init(
                    .textField(.init(keyboard: .numberPad, autocorrection: .no)), key: "port", title: "Port (TCP)",
                    defaultValue: .string("80")))
        #expect(
            specifier("offset")
                == .init(
                    .textField(.init(keyboard: .numbersAndPunctuation, autocorrection: .no)), key: "offset",
                    title: "Offset", defaultValue: .string("-1.5")))
        #expect(
            specifier("home")
                == .init(.textField(.init(keyboard: .url, autocorrection: .no)), key: "home", title: "Home"))
        #expect(
            specifier("password")
                == .init(.textField(.init(isSecure: true, autocorrection: .no)), key: "password", title: "Password"))
        #expect(specifier("start")?.defaultValue == .string("1970-01-01T00:00:00Z"))
        #expect(
            specifier("about.version")
                == .init(.titleValue(.init()), key: "about.version", title: "Version", defaultValue: .string("1.0")))
        #expect(
            specifier("letter")?.defaultValue == .string("b") && specifier("list") == nil && specifier("bytes") == nil)
        #expect(
            specifier("sound.volume")
                == .init(
                    .slider(.init(minimum: 0, maximum: 1)), key: "sound.volume", title: "Volume",
                    defaultValue: .real(0.5)))
        #expect(
            specifier("sound.isMuted")
                == .init(.toggle(.init()), key: "sound.isMuted", title: "Is muted", defaultValue: .bool(false)))
        let helped = bundle.root.sections.first { $0.footer == "Who plays." }
        #expect(helped?.specifiers.map(\.key) == ["name"])
    }

    @Test("What has no form is told") func findings() async throws {
        let bundle = try await described()
        #expect(bundle.findings.allSatisfy { $0.kind == .noForm })
        #expect(
            bundle.findings.map(\.reason) == [
                "“port” is a number, of which a field makes text.",
                "“offset” is a number, of which a field makes text.",
                "“home” may be absent, which can't be chosen.",
                "“start” is a date, of which a field makes text in ISO 8601.",
                "“password” may be absent, which can't be chosen.",
                "“list” is an array, which has no form. It is left out.",
                "“bytes” is data, which has no form. It is left out.",
                "“about.seal” is a secret that only its owner may write. It is left out.",
            ])
        for finding in bundle.findings {
            guard let index = finding.index else { continue }
            let key = try #require(bundle.pane(named: "Root")?.specifiers[index].key)
            #expect(finding.file == "Root.plist" && finding.reason.hasPrefix("“\(key)”"))
        }
    }

    @Test("What is written reads back as the same panes, texts and pictures") func writing() async throws {
        let german = StringTable([.init(key: "User", value: "Spieler"), .init(key: "Sound", value: "Klang")])
        var bundle = try await described(["de": german, "fr": StringTable()])
        bundle.icon = .init(name: "Icon-Settings.png", file: "Icon-Settings@2x.png", scale: 2, data: Data([1, 2]))
        bundle.children[1].specifiers.append(
            .init(
                .slider(.init(minimum: 0, maximum: 1, minimumImage: "low")), key: "x", defaultValue: .real(0),
                idioms: [.pad]))
        bundle.images = [.init(name: "low", file: "low@3x.png", scale: 3, data: Data([3]))]
        try withTemporaryFolder { folder in
            let place = folder.appending(path: "Settings.bundle")
            try bundle.write(to: place)
            let copy = try SettingsBundle.read(at: place)
            bundle.findings = []
            #expect(copy == bundle)
            #expect(copy.localized(for: ["de"]).pane(named: "sound")?.title == "Klang")
            // Twice: the old one makes room, and equal bundles are equal files.
            let before = try Data(contentsOf: place.appending(path: "Root.plist"))
            try bundle.write(to: place)
            #expect(try Data(contentsOf: place.appending(path: "Root.plist")) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Settings.bundle"])
            #expect(before.starts(with: Data("<?xml".utf8)))
        }
    }

    /// Apple's entries without a property here, and those of InAppSettingsKit.
    private static let filesWithUnknown = [
        "Root.plist": xmlPane(
            """
            <dict><key>Type</key><string>PSGroupSpecifier</string><key>Title</key><string>Thanks</string>
              <key>Key</key><string>about</string><key>License</key><string>MIT</string></dict>
            <dict><key>Type</key><string>PSTextFieldSpecifier</string><key>Key</key><string>name</string>
              <key>Placeholder</key><string>Your name</string><key>DoNotLocalize</key><true/>
              <key>TextAlignment</key><string>IASKUITextAlignmentRight</string></dict>
            <dict><key>Type</key><string>PSMultiValueSpecifier</string><key>Key</key><string>speed</string>
              <key>DefaultValue</key><integer>1</integer><key>Values</key><array><integer>1</integer></array>
              <key>Titles</key><array><string>slow</string></array>
              <key>IconNames</key><array><string>snail</string></array><key>IsSecure</key><false/></dict>
            <dict><key>Type</key><string>PSChildPaneSpecifier</string><key>Title</key><string>More</string>
              <key>File</key><string>Sub</string><key>IASKSubtitle</key><string>All the rest</string></dict>
            <dict><key>Type</key><string>PSChildPaneSpecifier</string><key>Title</key><string>Row</string>
              <key>File</key><string>Own</string></dict>
            """, keys: "<key>Origin</key><dict><key>version</key><real>1.5</real></dict>"),
        "Sub.plist": xmlPane(""), "Own.plist": xmlPane("", keys: "<key>Title</key><string>Row</string>"),
    ]

    @Test("Entries that are not known are written again, and a title only where there was one") func unknown() throws {
        func list(_ name: String, in folder: URL) throws -> SettingValue {
            try PropertyList.read(Data(contentsOf: folder.appending(path: name))).list.value
        }
        try withBundle(Self.filesWithUnknown) { folder in
            var bundle = try SettingsBundle.read(at: folder)
            #expect(bundle.findings == [])
            #expect(bundle.root.specifiers[1].unknown["Placeholder"] == .string("Your name"))
            #expect(bundle.children.map(\.title) == ["More", "Row"])
            let copy = folder.deletingLastPathComponent().appending(path: "Copy.bundle")
            try bundle.write(to: copy)
            for name in Self.filesWithUnknown.keys.sorted() {
                #expect(try list(name, in: copy) == list(name, in: folder), "\(name)")
            }
            #expect(try SettingsBundle.read(at: copy) == bundle)
            // A title that is set is the pane's own.
            bundle.children[0].title = "Others"
            bundle.root.specifiers[0].unknown = ["Type": .string("PSOther"), "License": .string("BSD")]
            try bundle.write(to: copy)
            let changed = try SettingsBundle.read(at: copy)
            #expect(changed.pane(named: "Sub")?.title == "Others" && changed.findings == [])
            #expect(changed.root.specifiers[0].unknown == ["License": .string("BSD")])
        }
    }

    @Test("Something else at the place, and a bundle that can't be written, leave all as it was") func refusals() throws
    {
        let good = SettingsBundle(root: .init(specifiers: []))
        let bad = [
            SettingsBundle(root: .init(file: "Other", specifiers: [])),
            SettingsBundle(root: .init(specifiers: []), children: [.init(file: "../Out", specifiers: [])]),
            SettingsBundle(
                root: .init(specifiers: [.init(.textField(.init()), key: "a", defaultValue: .number("1e999"))])),
            SettingsBundle(
                root: .init(specifiers: []),
                images: [.init(name: "Root.plist", file: "Root.plist", data: Data([1]))]),
        ]
        try withTemporaryFolder { folder in
            let place = folder.appending(path: "Settings.bundle")
            try good.write(to: place)
            for bundle in bad {
                let error = #expect(throws: SettingsError.self) { try bundle.write(to: place) }
                #expect(error?.code == .settingsBundle)
            }
            #expect(try SettingsBundle.read(at: place) == good)
            let other = folder.appending(path: "other", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
            try Data("x".utf8).write(to: other.appending(path: "file"))
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "Settings.bundle")
            for place in [other, other.appending(path: "file"), link] {
                let error = #expect(throws: SettingsError.self) { try good.write(to: place) }
                #expect(error?.description.hasSuffix("Something other than a settings bundle has that name.") == true)
            }
            #expect(throws: SettingsError.self) { try good.write(to: folder.appending(path: "none/Settings.bundle")) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["Settings.bundle", "link", "other"])
        }
    }

    @Test(
        "After a failure of any system call, the old bundle or the new one is whole, and in place if the rest works",
        arguments: [false, true], [false, true])
    func failures(isThere: Bool, isForGood: Bool) throws {
        let pane = SettingsBundle.Pane(specifiers: [])
        let (old, new) = (SettingsBundle(title: "Old", root: pane), SettingsBundle(title: "New", root: pane))
        for number in 0... {
            let folder = try TemporaryFolder()
            let place = folder.url.appending(path: "Settings.bundle")
            if isThere { try old.write(to: place) }
            let calls = FaultySystemCalls(synchronizes: false)
            calls.fail(call: number, with: .error(.noSpace), forGood: isForGood)
            var hasFailed = false
            do { try new.write(to: place, calls) } catch { hasFailed = true }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
            let titles = try names.map { try SettingsBundle.read(at: folder.url.appending(path: $0)).title }
            #expect(calls.openFiles.isEmpty)
            guard calls.faultCount > 0 else {
                #expect(number > 10 && !hasFailed && titles == ["New"])
                return
            }
            if names.contains("Settings.bundle") || !isThere {
                // Nothing else is left behind.
                #expect(names == ["Settings.bundle"] || (names.isEmpty && !isThere && hasFailed), "\(number): \(names)")
                let isInPlace = calls.calls[..<number].contains { $0.kind == .rename && $0.path == place.path }
                #expect(titles == (isInPlace || !hasFailed ? ["New"] : isThere ? ["Old"] : []), "\(number)")
            } else {
                #expect(isForGood && hasFailed && titles.compactMap(\.self).sorted() == ["New", "Old"], "\(number)")
            }
        }
    }

    @Test("Random bundles read back as they were", arguments: [UInt64]([1, 2, 3, 0xDECAF])) func random(seed: UInt64)
        throws
    {
        var random = RandomBundle(random: SeededGenerator(seed: seed))
        try withTemporaryFolder { folder in
            for round in 0..<25 {
                let bundle = random.next()
                let place = folder.appending(path: "Settings.bundle")
                try bundle.write(to: place)
                var copy = try SettingsBundle.read(at: place)
                #expect(copy.findings.allSatisfy { [.missingKey, .defaultValue].contains($0.kind) })
                copy.findings = []
                #expect(copy == bundle, "seed \(seed), round \(round)")
            }
        }
    }
}

/// Bundles of every kind of specifier.
private struct RandomBundle {
    var random: SeededGenerator

    mutating func next() -> SettingsBundle {
        let count = Int.random(in: 0...4, using: &random)
        let names = (0..<count).map { $0 % 2 == 0 ? "Pane\($0)" : "Inner/é\($0)" }
        // Each pane leads to the next one, so that all are found in this order.
        let panes = (["Root"] + names).enumerated().map { place, file in
            var specifiers = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                var specifier = specifier()
                specifier.unknown = unknown()
                return specifier
            }
            if place < count { specifiers.append(.init(.childPane(.init(file: names[place])), title: text())) }
            var pane = SettingsBundle.Pane(
                file: file, title: text(), stringsTable: maybe { "T" }, groupContainer: maybe { "group.a" },
                specifiers: specifiers)
            pane.unknown = unknown()
            return pane
        }
        let languages = ["", "de", "en_US"].filter { _ in Bool.random(using: &random) }
        let localizations = languages.map { language in
            SettingsBundle.Localization(language: language, tables: ["T": table(), "Ü": table()])
        }
        return SettingsBundle(
            title: maybe { "Title" }, root: panes[0], children: Array(panes.dropFirst()), localizations: localizations)
    }

    private mutating func maybe<Value>(_ value: () -> Value) -> Value? {
        Bool.random(using: &random) ? value() : nil
    }

    private mutating func text() -> String {
        ["", "a", "Two words", "<&>\"'", "ü\u{301}", "\t\n", "%@", "😀"].randomElement(using: &random) ?? ""
    }

    private mutating func value() -> SettingValue {
        let values: [SettingValue] = [
            .bool(true), .bool(false), .integer(.min), .integer(7), .real(0.1), .real(-0.0), .string(""), .string("7"),
            .date(Date(timeIntervalSince1970: 1e9)), .data(Data([0, 255])),
        ]
        return values.randomElement(using: &random) ?? .bool(true)
    }

    private mutating func unknown() -> SettingValue.Entries {
        var entries = SettingValue.Entries()
        for name in ["License", "é", "IASKSubtitle"] where Bool.random(using: &random) {
            entries[name] = Bool.random(using: &random) ? value() : .array([value(), .dictionary(["a": value()])])
        }
        return entries
    }

    private mutating func table() -> StringTable {
        StringTable((0..<Int.random(in: 0...3, using: &random)).map { .init(key: "k\($0)", value: text()) })
    }

    private mutating func choices() -> [SettingsBundle.Choice] {
        let hasShort = Bool.random(using: &random)
        return (0...Int.random(in: 0...3, using: &random)).map { _ in
            SettingsBundle.Choice(title: text(), shortTitle: hasShort ? text() : nil, value: value())
        }
    }

    private mutating func specifier() -> SettingsBundle.Specifier {
        let idioms: [SettingsBundle.Idiom]? = maybe { [.phone] }
        let title = maybe { "T" }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return .init(.group(.init(footer: text())), title: title, idioms: idioms)
        case 1:
            let field = SettingsBundle.TextField(
                isSecure: .random(using: &random), keyboard: .allCases.randomElement(using: &random) ?? .url,
                autocapitalization: .allCases.randomElement(using: &random) ?? .words,
                autocorrection: .allCases.randomElement(using: &random) ?? .yes)
            return .init(.textField(field), key: "a.b", title: title, defaultValue: value(), idioms: idioms)
        case 2:
            return .init(
                .titleValue(.init(choices: choices())), key: "k", title: title, defaultValue: value(), idioms: idioms)
        case 3:
            let toggle = SettingsBundle.Toggle(trueValue: value(), falseValue: .string("no value"))
            return .init(.toggle(toggle), key: "k", title: title, defaultValue: value(), idioms: idioms)
        case 4:
            let slider = SettingsBundle.Slider(minimum: -0.1, maximum: .random(in: 0...9, using: &random))
            return .init(.slider(slider), key: "k", title: title, defaultValue: .integer(0), idioms: idioms)
        case 5:
            let value = SettingsBundle.MultiValue(choices: choices(), isSortedByTitle: .random(using: &random))
            return .init(.multiValue(value), key: "k", title: title, defaultValue: self.value(), idioms: idioms)
        default:
            let group = SettingsBundle.RadioGroup(
                choices: choices(), footer: maybe { "F" }, isSortedByTitle: .random(using: &random))
            return .init(.radioGroup(group), key: "k", title: title, defaultValue: value(), idioms: idioms)
        }
    }
}
