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
    let label: String
    private let level: @Sendable () -> Logger.Level
    private let format: @Sendable () -> LogFormat
    private let write: @Sendable (String) -> Void
    /// Set for a logger that does not follow the setting.
    private var ownLevel: Logger.Level?

    /// - Parameters:
    ///   - label: The logger's name, which is in each line.
    ///   - level: The current minimum level.
    ///   - format: The current spelling.
    ///   - write: Receives a line without its line break.
    public init(
        label: String, level: @escaping @Sendable () -> Logger.Level,
        format: @escaping @Sendable () -> LogFormat = { .text }, write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.level = level
        self.format = format
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
        switch format() {
        case .text: write(text(event, all).escaped)
        case .json: write(json(event, all))
        }
    }

    private func text(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        var line = "\(Self.timestamp(Date())) \(event.level) \(label): \(event.message)"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
        if let error = event.error { line += " error=\(error)" }
        return line
    }

    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
