import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

/// The guide “Settings bundles”, and the code in it.
@Suite(.timeLimit(.minutes(10))) struct SettingsBundlesGuideTests {
    private struct PlayerSettings: SettingsGroup {
        @Setting var speed = 1
        @Setting(in: 0...1, title: "Volume") var volume = 0.5
    }

    private let files = [
        "Root.plist": """
        { StringsTable = Root; PreferenceSpecifiers = ({ Type = PSGroupSpecifier; Title = Sound; },
          { Type = PSMultiValueSpecifier; Key = speed; Title = Speed; DefaultValue = 2; Values = (1, 2);
            Titles = (slow, fast); },
          { Type = PSToggleSwitchSpecifier; Key = "is.on"; Title = On; DefaultValue = NO; },
          { Type = PSTextFieldSpecifier; Title = Broken; }); }
        """,
        "de.lproj/Root.strings": "Sound = Klang; fast = schnell;",
    ]

    @Test("A bundle is shown") func showing() throws {
        let bundle = try withBundle(files) { try SettingsBundle.read(at: $0).localized(for: ["de"]) }
        #expect(bundle.root.sections.map(\.title) == ["Klang"])
        #expect(bundle.root.sections.first?.specifiers.map(\.title) == ["Speed", "On"])
        #expect(
            bundle.findings.map(\.description) == [
                "Root.plist, specifier 3: “Key” is missing. The specifier is left out."
            ])
    }

    @Test("A value is shown and written with the type that the bundle declares") func values() async throws {
        let bundle = try withBundle(files) { try SettingsBundle.read(at: $0) }
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .registration])
        let settings = try await store.group(PlayerSettings.self)
        try store.domains.register(contentsOf: bundle)
        #expect(settings.speed == 2)
        for specifier in bundle.root.specifiers {
            guard let name = specifier.key, let key = store.keys.key(named: name) else { continue }
            let stored = try #require(store.keys[key.description])
            switch specifier.kind {
            case .multiValue(let menu):
                #expect(menu.choice(for: stored)?.title == "fast")
            case .toggle(let toggle):
                try store.keys.setValue(toggle.value(isOn: !toggle.isOn(stored)), forKey: key)
            default: break
            }
        }
        #expect(store.keys[#"is\.on"#] == .bool(true))
        #expect(settings.speed == 2 && settings.volume == 0.5)
    }

    @Test("A bundle is made of declared settings") func making() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let groups = try await store.group(PlayerSettings.self)
        let german = StringTable([.init(key: "Volume", value: "Lautstärke")])
        try withTemporaryFolder { folder in
            let place = folder.appending(path: "Settings.bundle")
            let bundle = withExtendedLifetime(groups) {
                SettingsBundle(describing: store.file.schema(), title: "Player", tables: ["de": german])
            }
            try bundle.write(to: place)
            let copy = try SettingsBundle.read(at: place)
            #expect(copy.panes == bundle.panes && copy.title == "Player")
            #expect(copy.localized(for: ["de-AT"]).root.specifiers.map(\.title) == ["Speed", "Lautstärke"])
        }
    }
}
