import Logging
import Settle
import SettleTesting
import Synchronization
import Testing

@testable import LiveServing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct LogTests {
    @Test("Each change is one line that says who changed what from what to what") func changeLine() async throws {
        try await TestService.with { service async throws in
            try service.store.update(author: "ops") {
                service.settings.limits.burst = 7
                service.settings.features.enabled = ["loud"]
            }
            let line = await service.log.first(containing: "ops")
            let revision = service.store.revision
            let sentence =
                "ops changed limits.burst from 1000 to 7, features.enabled from [] to [\"loud\"] (revision \(revision))"
            #expect(line.hasSuffix(" notice settings: \(sentence)"), "\(line)")
            try service.settings.limits.$burst.reset(author: "ops")
            let reset = await service.log.first(containing: "ops reset")
            #expect(reset.contains("reset limits.burst from 7 to 1000"))
            #expect(service.log.all.count { $0.contains("limits.burst") } == 2)
        }
    }

    @Test("A change of the file says whose it was") func changedFile() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(7)], author: "deploy")
            #expect(await service.log.first(containing: "1000 to 7").contains("deploy, in another process, changed"))
            storage.simulateExternalChange(["limits.burst": .integer(8)])
            #expect(await service.log.first(containing: "7 to 8").contains("Someone who edited the file changed"))
        }
    }

    @Test("A secret is said to have changed and no more") func changedSecret() async throws {
        try await TestService.with { service async throws in
            _ = try await service.send(
                .admin(.patch, "/settings/admin.token", "\"another-token-than-before\""))
            let line = await service.log.first(containing: "admin.token")
            #expect(line.contains("admin changed admin.token (revision"), "\(line)")
        }
    }

    @Test("The level holds for the next line and does not hide changes") func changedLevel() async throws {
        try await TestService.with { service async throws in
            _ = try await service.send(.get("/hello"))
            #expect(!service.log.all.contains { $0.contains("debug http") })
            service.settings.logging.level = .debug
            _ = try await service.send(.get("/hello"))
            #expect(service.log.all.contains { $0.contains("debug http") })
            service.settings.logging.level = .critical
            #expect(await service.log.first(containing: "to \"critical\"").contains("notice settings"))
        }
    }

    @Test("The last changes are saved and logged before the service ends") func lastChanges() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let log = LogLines()
            try await TestService.with(storage: FileStorage(at: file), log: log) { service async throws in
                for burst in 1...1_000 { service.settings.limits.burst = burst }
            }
            #expect(log.all.count { $0.contains("limits.burst") } == 1_000)
            let store = try await SettingsStore.open(at: file)
            #expect(try store.keys.value(forKey: "limits.burst", as: Int.self) == 1_000)
        }
    }

    @Test("A change that is made while the service ends is saved and logged or refused")
    func changeWhileEnding() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let settings = Mutex<ServiceSettings?>(nil)
            // Each line about a change makes the next change, until the store refuses it.
            let log = LogLines { line in
                guard line.contains("limits.burst"), let limits = settings.withLock({ $0 })?.limits else { return }
                limits.burst = limits.burst % 100_000 + 1
            }
            try await TestService.with(storage: FileStorage(at: file), log: log) { service async throws in
                settings.withLock { $0 = service.settings }
                service.settings.limits.burst = 1
                _ = await log.first(containing: "limits.burst from 1 to 2")
            }
            let store = try await SettingsStore.open(at: file)
            let saved = try store.keys.value(forKey: "limits.burst", as: Int.self)
            let last = log.all.last { $0.contains(" notice settings: ") && $0.contains("limits.burst") }
            #expect(last?.contains("to \(saved ?? 0) (revision") == true, "\(last ?? "nothing") and not \(saved ?? 0)")
        }
    }

    @Test("What cannot be used is logged") func unusableValues() async throws {
        let storage = InMemoryStorage()
        try await TestService.with(storage: storage) { service async throws in
            try await service.store.flush()
            storage.simulateExternalChange(["limits.burst": .integer(0)])
            let line = await service.log.first(containing: "warning settings")
            #expect(line.contains("limits.burst"))
            #expect(service.settings.limits.burst == 1_000)
        }
    }

    @Test("A line break in a value does not look like another line") func lineBreak() {
        let log = LogLines()
        let logger = Logger(label: "test") { label in
            ServiceLogHandler(label: label, level: { .info }, write: { log.append($0) })
        }
        logger.info("one\ntwo", metadata: ["key": "a\r\nb"])
        #expect(log.all.first?.hasSuffix("info test: one\\ntwo key=a\\r\\nb") == true, "\(log.all)")
    }

    @Test(
        "What cannot be seen is escaped",
        arguments: [
            "\u{202E}", "\u{2066}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{85}", "\u{1B}", "\u{7F}", "\u{FEFF}",
        ])
    func whatCannotBeSeenIsEscaped(character: Unicode.Scalar) async throws {
        let log = LogLines()
        let logger = Logger(label: "test") { label in
            ServiceLogHandler(label: label, level: { .info }, write: { log.append($0) })
        }
        logger.info("one\(character)two", metadata: ["agent": "a\(character)b"])
        let line = log.all.first ?? ""
        #expect(!line.unicodeScalars.contains(character))
        #expect(line.contains("one\(character.escaped(asASCII: true))two"))
        #expect(!line.contains("ab"))
    }
}
