import Foundation
import Settle
import SettleTesting
import Testing

/// The guide “Migrations”, and the code in it.
@Suite(.timeLimit(.minutes(10))) struct MigrationsGuideTests {
    enum Version1 {
        struct Settings: SettingsGroup {
            @Setting var theme = "light"
            @Setting var timeout = 30
            @Setting var size = "800x600"
        }

        static let migrations: [SettingsMigration] = []
    }

    enum Version2 {
        struct Look: SettingsGroup {
            @Setting var theme = "light"
        }

        struct Settings: SettingsGroup {
            let look = Look()
            @Setting var timeout: Duration = .seconds(30)
            @Setting var size = "800x600"
        }

        static let migrations =
            Version1.migrations + [
                .rename("theme", to: "look.theme"),
                .convert("timeout", from: Int.self, to: Duration.self) { .seconds($0) },
            ]
    }

    struct UnreadableSize: Error {}

    enum Version3 {
        typealias Look = Version2.Look

        struct Window: SettingsGroup {
            let look = Look()
            @Setting var width = 800
            @Setting var height = 600
        }

        struct Settings: SettingsGroup {
            let window = Window()
            @Setting var timeout: Duration = .seconds(30)
        }

        static let migrations =
            Version2.migrations + [
                .move("look", to: "window.look"),
                .split("size", from: String.self) { size in
                    let sides = size.split(separator: "x").compactMap { Int($0) }
                    guard sides.count == 2 else { throw UnreadableSize() }
                    return ["window.width": sides[0], "window.height": sides[1]]
                },
                SettingsMigration("no endless time-outs") { tree in
                    let timeout = try tree.value(Duration.self, forKey: "timeout")
                    if let timeout, timeout <= .zero { tree["timeout"] = nil }
                },
            ]
    }

    @Test func `shipped steps keep their names and their order`() throws {
        let shipped = ["rename theme to look.theme", "convert timeout"]
        try SettingsMigration.checkShipped(shipped, in: Version3.migrations)
    }

    @Test("A shipped list that was changed is refused, with the first step that differs") func changedList() {
        for list in [Array(Version3.migrations.dropFirst()), Version3.migrations.reversed(), []] {
            let error = #expect(throws: SettingsError.self) {
                try SettingsMigration.checkShipped(Version2.migrations.map(\.name), in: list)
            }
            #expect(error?.description.contains("Step 1 was shipped as “rename theme to look.theme”") == true)
        }
    }

    private var folder: URL { URL(filePath: #filePath).deletingLastPathComponent() }

    private var guide: String {
        get throws {
            let page = folder.appending(path: "../../../Sources/Settle/Settle.docc/Migrations.md").standardizedFileURL
            return try String(contentsOf: page, encoding: .utf8)
        }
    }

    /// Without their indentation, which differs between a page and a suite.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
    }

    @Test("The guide's code is that of the tests") func samples() throws {
        let source = lines(
            try String(contentsOf: folder.appending(path: "MigrationsGuideTests.swift"), encoding: .utf8))
        let samples = try guide.matches(of: /(?s)```swift\n(.+?)```/).map { lines(String($0.1)) }
        #expect(samples.count == 5)
        for sample in samples { #expect(source.contains(sample), "\(sample.joined(separator: "\n"))") }
    }

    private func version1(at file: URL) async throws {
        let store = try await SettingsStore.open(at: file, migrations: Version1.migrations)
        let settings = try await store.group(Version1.Settings.self)
        try settings.update {
            settings.theme = "dark"
            settings.timeout = 45
            settings.size = "1024x768"
        }
        try await store.close()
    }

    @Test("A file goes from version 1 to 3, by way of 2 or not, and looks as the guide says", arguments: [true, false])
    func versions(bySecond: Bool) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            try await version1(at: file)
            if bySecond {
                let store = try await SettingsStore.open(at: file, migrations: Version2.migrations)
                let settings = try await store.group(Version2.Settings.self)
                #expect(
                    settings.look.theme == "dark" && settings.timeout == .seconds(45) && settings.size == "1024x768")
                try await store.close()
            }
            let store = try await SettingsStore.open(at: file, migrations: Version3.migrations)
            let settings = try await store.group(Version3.Settings.self)
            #expect(settings.window.look.theme == "dark" && settings.timeout == .seconds(45))
            #expect(settings.window.width == 1024 && settings.window.height == 768)
            try await store.close()
            let sample = try #require(try guide.firstMatch(of: /(?s)```json\n(.+?)```/))
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text == String(sample.1))
        }
    }

    @Test("Version 1 can't write what version 3 has made of its file") func downgrade() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            try await version1(at: file)
            try await SettingsStore.open(at: file, migrations: Version3.migrations).close()
            let store = try await SettingsStore.open(at: file, migrations: Version1.migrations)
            let settings = try await store.group(Version1.Settings.self)
            #expect(settings.theme == "light")
            await #expect(throws: SettingsError.self) { try await settings.commit { settings.theme = "blue" } }
            try await store.close()
        }
    }
}
