package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text whose meaning the declaration determines.
package enum DeclaredText {
    /// Returns the value of the text. A value that does not fit is left to the check of the value.
    ///
    /// - Parameter separatesLists: Whether commas separate the elements of a list, as in arguments and variables.
    package static func value(
        of text: String, for check: SchemaCheck, separatesLists: Bool = false
    ) -> SettingValue {
        let types = check.types
        let plain = SettingValue.string(text)
        // A string setting that can also be absent keeps the word; other types have no such text.
        if text == "null", types.contains("null"), !check.isPlainText { return .null }
        if types.contains("string"), check.problem(with: plain) == nil { return plain }
        let readings: [(String, TextReading)] = [("boolean", .bool), ("integer", .number), ("number", .number)]
        for (type, reading) in readings where types.contains(type) {
            if let value = reading.value(of: text) { return value }
        }
        // A word for a setting of another type may begin like XML; the check says what is wrong with it.
        let list = (try? PropertyListArgument.value(of: text)) ?? plain
        if case .string = list {} else if check.problem(with: list) == nil { return list }
        if separatesLists, types.contains("array"), let element = check.element, let parts = Self.parts(of: text) {
            return .array(parts.map { Self.value(of: $0, for: element) })
        }
        guard types.isEmpty || types.contains("array") || types.contains("object") else { return plain }
        if let value = try? SettingValue(json: Data(text.utf8)) { return value }
        guard case .array(let parts) = list, let element = check.element else { return list }
        return .array(parts.map { if case .string(let text) = $0 { Self.value(of: text, for: element) } else { $0 } })
    }

    /// Returns the parts of a list that is separated by commas, as arguments and variables have it; `nil` if the text is
    /// empty, or begins like JSON or a property list.
    private static func parts(of text: String) -> [String]? {
        guard let first = text.utf8.first(where: { !$0.isSpace }), !"[{(<\"".utf8.contains(first) else { return nil }
        return text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            var part = part.drop(while: \.isWhitespace)
            while part.last?.isWhitespace == true { part.removeLast() }
            return String(part)
        }
    }
}
