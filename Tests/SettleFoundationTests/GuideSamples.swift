import Foundation
import Settle
import SettleFoundation
import SettleInterchange

// The samples of the guide “Moving from UserDefaults” as they stand, each in the context that the page describes.
// Nothing calls them: `MovingFromUserDefaultsGuideTests` has what they do.

private func show<each Value>(_ values: repeat each Value) {}

private enum MovingFromUserDefaults {
    static func replaceLine() async throws {
        let store = try await SettingsStore.open("com.example.app", searching: .standard)
        let defaults = SettingsDefaults(store)  // was UserDefaults.standard
        show(defaults)
    }

    struct LockSettings: SettingsGroup {
        @Setting var isPasscodeEnabled = false
        @Setting(in: 0...20) var attemptCount = 0
        @Setting var nextCheckDate: Date?
    }

    static func importOnce(_ mapping: ArchiveMapping, into store: SettingsStore) async throws {
        let old = UserDefaultsImport(
            domain: "com.example.app",
            [
                "LaunchCount": "launches",
                "NSWindow Frame Main": .ignored,
                "passcode": .archive(mapping, "passcode"),
            ])
        let report = try await old.run(into: store)
        for entry in report.left { print(entry) }
    }

    static func search() async throws {
        let old = UserDefaultsSource(domain: "com.example.app")
        let store = try await SettingsStore.open(
            "com.example.app", searching: [.application, .source("UserDefaults", old)])
        show(store)
    }

    struct People: SettingsGroup {
        @Setting(codec: .keyedArchive) var author: Person? = nil
    }

    static func takePerson(from file: URL, into store: SettingsStore) async throws {
        let people = try await store.group(People.self)
        if people.author == nil, let data = try? Data(contentsOf: file) {
            let person = try SettingCodec<Person>.keyedArchive.decode(.data(data))
            try await people.commit { people.author = person }  // on stable storage when it returns
            try FileManager.default.removeItem(at: file)
        }
    }

    static func takeGroup(into store: SettingsStore) async throws {
        let mapping = ArchiveMapping(classes: [
            "Old.PasscodeLock": ArchiveMapping.Class(
                keys: [
                    "isPasscodeEnabled": "passcode.isPasscodeEnabled", "attemptCount": "passcode.attemptCount",
                    "checkInterval": "passcode.checkInterval", "nextCheckDate": "passcode.nextCheckDate",
                ],
                values: ["isPasscodeEnabled": .number01, "nextCheckDate": .secondsSince1970(zeroIsNone: true)])
        ])
        let old = UserDefaultsImport(domain: "com.example.app", ["settings": .archive(mapping, nil)], others: .left)
        try await old.run(into: store)
    }
}
