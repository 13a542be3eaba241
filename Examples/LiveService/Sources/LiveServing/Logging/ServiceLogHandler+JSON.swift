import Logging
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServiceLogHandler {
    /// A JSON object with the parts of a line.
    func json(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        var entries: SettingValue.Entries = [
            "time": .string(Self.timestamp(Date())), "level": .string(event.level.rawValue),
            "logger": .string(label), "message": .string("\(event.message)"),
        ]
        if !metadata.isEmpty { entries["metadata"] = .dictionary(Self.json(metadata)) }
        if let error = event.error { entries["error"] = .string("\(error)") }
        return Self.escapingInvisible(SettingValue.dictionary(entries).jsonText)
    }

    private static func json(_ metadata: Logger.Metadata) -> SettingValue.Entries {
        SettingValue.Entries(uniqueKeysWithValues: metadata.map { ($0.key, json($0.value)) })
    }

    private static func json(_ value: Logger.MetadataValue) -> SettingValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let other): .string(other.description)
        case .array(let values): .array(values.map(json))
        case .dictionary(let metadata): .dictionary(json(metadata))
        }
    }

    /// Escapes what terminals act on and JSON allows: in a JSON text on one line it can only be inside a string.
    private static func escapingInvisible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isInvisible) else { return text }
        return text.unicodeScalars.map { $0.isInvisible ? escape($0) : String($0) }.joined()
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
