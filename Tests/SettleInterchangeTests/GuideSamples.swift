import Foundation
import Settle
import SettleInterchange

// Samples of the guides that nothing else compiles as they stand, each in the context that its page describes. Nothing
// calls them: the suites of this target test what they do.

private struct NotAPerson: Error {}
private func show<each Value>(_ values: repeat each Value) {}

private enum DeclaringSettings {
    struct AppSettings: SettingsGroup {
        @Setting var applicationVersion = "1.0"
    }

    static func describe(_ store: SettingsStore) async throws {
        let schema = store.file.schema()
        for setting in schema.settings { print(setting.key, setting.type, setting.title ?? "") }
        let json = try schema.jsonSchema.json()

        let settings = try await store.group(AppSettings.self)
        try await store.file.writeSchema()
        show(json, settings)
    }

    static func open() async throws {
        var configuration = SettingsStore.Configuration()
        configuration.writesSchema = true
        let store = try await SettingsStore.open("com.example.app", configuration: configuration)
        show(store)
    }
}

private enum AccessByKey {
    static func convert(in store: SettingsStore) throws {
        let port = try store.keys.value(forKey: "plugins.web.port", coercedTo: .integer)
        let cache = try store.keys.value(forKey: "plugins.web.cache", coercedTo: .url)
        show(port, cache)
    }
}

private enum MovingArchives {
    static func read(_ data: Data) throws {
        let archive = try KeyedArchive(data)
        guard case .object(let person)? = archive.root else { throw NotAPerson() }
        print(person.className)
        print(person.fields["name"] ?? .null)

        if let value = person.fields["friends"], case .array(let friends, _)? = archive.resolved(value) {
            for case .object(let friend)? in friends.map(archive.resolved) { print(friend.className) }
        }
    }

    struct Friend: Decodable {
        var name: String
        var age: Int
    }

    static func decode(_ data: Data) throws {
        let friends = try KeyedArchive(data).decode([Friend].self)
        show(friends)
    }

    static func importValues(_ data: Data, _ mapping: ArchiveMapping, into store: SettingsStore) throws {
        let contents = try KeyedArchive(data).contents(mapping)
        guard let tree = contents.tree(at: "passcode") else { throw NotAPerson() }
        try store.file.import(tree)
        for finding in contents.findings { print(finding) }
    }

    static func write(to file: URL) throws {
        let lock = ArchivedObject(className: "PasscodeLock", fields: ["PLAttempts": 3, "PLOn": true])
        try KeyedArchive(root: .object(lock)).data().write(to: file)
    }
}

private enum SettingsBundles {
    struct PlayerSettings: SettingsGroup {
        @Setting var isShuffled = false
    }

    static func read(at url: URL) throws {
        let bundle = try SettingsBundle.read(at: url).localized(for: ["en-US", "de"])
        for section in bundle.root.sections {
            print(section.title ?? "")
            for specifier in section.specifiers { print("  ", specifier.title ?? "", specifier.key ?? "") }
        }
        for finding in bundle.findings { print(finding) }
    }

    static func set(
        _ specifier: SettingsBundle.Specifier, _ stored: SettingValue, at key: SettingKey, in store: SettingsStore
    ) throws {
        switch specifier.kind {
        case .multiValue(let menu):
            let chosen = menu.choice(for: stored)
            try store.keys.setValue(menu.choices[0].value, forKey: key)
            show(chosen)
        case .toggle(let toggle):
            let isOn = toggle.isOn(stored)
            try store.keys.setValue(toggle.value(isOn: !isOn), forKey: key)
        default: break
        }
    }

    static func register(at url: URL) async throws {
        let store = try await SettingsStore.open("com.example.player", searching: .standard)
        try store.domains.register(contentsOf: SettingsBundle.read(at: url))
    }

    static func write(german: StringTable, in store: SettingsStore) async throws {
        let groups = try await store.group(PlayerSettings.self)
        let bundle = SettingsBundle(describing: store.file.schema(), title: "Player", tables: ["de": german])
        try bundle.write(to: URL(filePath: "Player.app/Settings.bundle"))
        show(groups)
    }
}
