public import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one line per event, and reads the minimum level each time, so that a change applies to the very next line.
public struct ServiceLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let level: @Sendable () -> Logger.Level
    private let write: @Sendable (String) -> Void
    /// Set for a logger that does not follow the setting.
    private var ownLevel: Logger.Level?

    /// - Parameters:
    ///   - label: The logger's name, which is in each line.
    ///   - level: The current minimum level.
    ///   - write: Receives a line without its line break.
    public init(
        label: String, level: @escaping @Sendable () -> Logger.Level, write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.level = level
        self.write = write
    }

    public var logLevel: Logger.Level {
        get { ownLevel ?? level() }
        set { ownLevel = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let all =
            metadata
            .merging(metadataProvider?.get() ?? [:]) { _, new in new }
            .merging(event.metadata ?? [:]) { _, new in new }
        var line = "\(Self.timestamp(Date())) \(event.level) \(label): \(event.message)"
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
        if let error = event.error { line += " error=\(error)" }
        write(Self.inOneLine(line))
    }

    /// A text with escaped control characters, so that a line break in a value does not look like another line.
    private static func inOneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory == .control {
                result.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
