import Logging
import Settle
import SettleTesting
import Testing

@testable import LiveServing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10))) struct JSONLogTests {
    @Test("Each line is an object from the very change on") func changedFormat() async throws {
        try await TestService.with { service async throws in
            service.settings.logging.level = .debug
            _ = try await service.send(.admin(.patch, "/settings/logging.format", "\"json\""))
            let before = service.log.all.count
            _ = try await service.send(.admin(.get, "/settings", token: "wrong"))
            _ = await service.log.first(containing: "refused")
            let lines = try service.log.all[before...].map(object)
            #expect(lines.count >= 2)
            let refusal = try #require(lines.first { $0["logger"] == .string("admin") })
            #expect(refusal["level"] == .string("warning"))
            #expect(refusal["message"] == .string("A request to the API of settings was refused."))
            guard case .dictionary(let metadata)? = refusal["metadata"] else { throw MissingField() }
            #expect(metadata["path"] == .string("/settings"))
            #expect(metadata["reason"] == .string("wrong"))
            service.settings.logging.format = .text
            #expect(await service.log.first(containing: "to \"text\"").contains(" notice settings: "))
        }
    }

    @Test("Whatever is logged is one object on one line") func anyText() throws {
        let log = LogLines()
        let logger = Logger(label: "test \"x\"") { label in
            ServiceLogHandler(label: label, level: { .info }, format: { .json }, write: { log.append($0) })
        }
        let nasty = "\"quotes\", \\, \r\n, \u{1B}[31m, \u{85}, \u{2028}, \u{202E}, \u{E0001}, \0, é, 🙂"
        logger.error(
            "\(nasty)", error: MissingField(),
            metadata: ["a": "\(nasty)", "e": .stringConvertible(7)])
        let line = try #require(log.all.first)
        let object = try object(line)
        #expect(object["message"] == .string(nasty))
        #expect(object["logger"] == .string("test \"x\""))
        let metadata: SettingValue.Entries = [
            "a": .string(nasty), "e": .string("7"), "error": .string("MissingField()"),
        ]
        #expect(object["metadata"] == .dictionary(metadata))
        #expect(
            !line.unicodeScalars.contains { scalar in
                [.control, .format, .lineSeparator].contains(scalar.properties.generalCategory)
            })
    }

    @Test("Both spellings have the same parts") func sameParts() {
        for format in LoggingSettings.Format.allCases {
            let log = LogLines()
            let logger = Logger(label: "name") { label in
                ServiceLogHandler(label: label, level: { .info }, format: { format }, write: { log.append($0) })
            }
            logger.warning("words", metadata: ["key": "value"])
            for part in ["name", "warning", "words", "key", "value"] { #expect(log.all[0].contains(part)) }
        }
    }

    private func object(_ line: String) throws -> SettingValue.Entries {
        guard case .dictionary(let object) = try SettingValue(json: Data(line.utf8)) else { throw MissingField() }
        for key in ["time", "level", "logger", "message"] where object[key] == nil { throw MissingField() }
        return object
    }
}
