import Logging
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one line per event, and reads the minimum level and the spelling each time, so that a change applies to the
/// very next line.
struct ServiceLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    /// The logger's name, which is in each line.
    let label: String
    let level: @Sendable () -> Logger.Level
    var format: @Sendable () -> LoggingSettings.Format = { .text }
    /// Receives a line without its line break.
    let write: @Sendable (String) -> Void
    /// Set for a logger that does not follow the setting.
    var ownLevel: Logger.Level?

    var logLevel: Logger.Level {
        get { ownLevel ?? level() }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        switch format() {
        case .text:
            let words = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            write("\(time) \(event.level) \(label): \(event.message)\(words)".escaped { $0.escaped(asASCII: true) })
        case .json: write(json(event, all, time))
        }
    }

    private func json(_ event: LogEvent, _ metadata: Logger.Metadata, _ time: String) -> String {
        let entries: SettingValue.Entries = [
            "time": .string(time), "level": .string(event.level.rawValue), "logger": .string(label),
            "message": .string("\(event.message)"),
            "metadata": .dictionary(SettingValue.Entries(metadata.mapValues { SettingValue.string("\($0)") })),
        ]
        // In a JSON text on one line, such a character can only be inside a string.
        return SettingValue.dictionary(entries).jsonText.escaped { scalar in
            String(scalar).utf16.map { "\\u\(String(0x1_0000 + Int($0), radix: 16).dropFirst())" }.joined()
        }
    }
}
