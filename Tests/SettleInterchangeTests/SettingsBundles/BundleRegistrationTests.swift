import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct BundleRegistrationTests {
    private struct Sound: SettingsGroup {
        @Setting var volume = 0.5
        @Setting var steps = 1
        @Setting var isMuted = false
    }

    private struct Player: SettingsGroup {
        @Setting var name = "declared"
        let sound = Sound()
    }

    private func bundle() throws -> SettingsBundle {
        try readPane(
            """
            { Type = PSTextFieldSpecifier; Key = name; DefaultValue = registered; },
            { Type = PSTextFieldSpecifier; Key = name; DefaultValue = second; },
            { Type = PSTextFieldSpecifier; Key = none; },
            { Type = PSTextFieldSpecifier; Key = "sound.volume"; DefaultValue = "0.75"; },
            { Type = PSTextFieldSpecifier; Key = "sound.steps"; DefaultValue = "12"; },
            { Type = PSToggleSwitchSpecifier; Key = "sound.isMuted"; DefaultValue = YES; },
            { Type = PSTextFieldSpecifier; Key = "other.key"; DefaultValue = "12"; },
            { Type = PSChildPaneSpecifier; File = Sub; }
            """,
            files: [
                "Sub.plist": "{ PreferenceSpecifiers = ({ Type = PSTextFieldSpecifier; Key = k; DefaultValue = v; }); }"
            ])
    }

    @Test("Defaults count where a key has no value, with the types of the declarations") func registering() async throws
    {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .registration])
        let settings = try await store.group(Player.self)
        try store.domains.register(contentsOf: bundle())
        #expect(settings.name == "registered" && settings.$name.domains.current == .registration)
        #expect(settings.sound.volume == 0.75 && settings.sound.steps == 12 && settings.sound.isMuted)
        settings.name = "own"
        #expect(settings.name == "own")
        try settings.$name.reset()
        #expect(settings.name == "registered")
        // A key that nobody declares is one name, and keeps its type.
        #expect(store.keys[#"other\.key"#] == .string("12"))
        #expect(store.keys["none"] == nil && store.keys["k"] == .string("v"))
        try store.keys.setValue("x", forKey: #"other\.key"#)
        #expect(store.keys[#"other\.key"#] == .string("x"))
    }

    @Test("A store without registered defaults refuses them") func refusal() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let bundle = try bundle()
        let error = #expect(throws: SettingsError.self) { try store.domains.register(contentsOf: bundle) }
        #expect(error?.code == .domain)
    }

    @Test("A described bundle registers the declarations' own defaults") func roundTrip() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .registration])
        let settings = try await store.group(Player.self)
        try store.domains.register(contentsOf: SettingsBundle(describing: store.file.schema()))
        #expect(settings.name == "declared" && settings.$name.domains.current == .registration)
        #expect(settings.sound.volume == 0.5 && settings.sound.steps == 1)
        #expect(settings.sound.$steps.domains.current == .registration)
        #expect(settings.sound.$volume.domains.current == .registration)
    }

    @Test("A name means a declared setting first, then itself, then a path that has a value") func keys() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Player.self)
        try withExtendedLifetime(settings) {
            #expect(store.keys.key(named: "sound.volume") == SettingKey("sound.volume"))
            #expect(store.keys.key(named: "name") == SettingKey("name"))
            #expect(store.keys.key(named: "a.b") == .path("a.b"))
            try store.keys.setValue(1, forKey: "a.b")
            #expect(store.keys.key(named: "a.b") == .path("a", "b"))
            try store.keys.setValue(2, forKey: .path("a.b"))
            #expect(store.keys.key(named: "a.b") == .path("a.b"))
            #expect(store.keys.key(named: "") == nil && store.keys.key(named: "a.") == .path("a."))
            #expect(store.keys.key(named: #"a\.b"#) == .path(#"a\.b"#))
        }
    }
}
