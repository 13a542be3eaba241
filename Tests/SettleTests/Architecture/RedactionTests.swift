import Foundation
import Testing

/// Values enter text through `Redacted` only.
///
/// What spells them is private to its files, so this looks for ways around it.
@Suite struct RedactionTests {
    @Test("No other source spells a value, or writes what stands for a secret") func onlyWay() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Settle").standardizedFileURL
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path))
        var seen: Set<String> = []
        for case let path as String in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            for (way, homes) in ways where code.contains(where: { $0.contains(way) }) {
                #expect(homes.contains { path.hasSuffix($0) }, "\(path) goes around Redacted.")
                seen.formUnion(homes.filter { path.hasSuffix($0) })
            }
        }
        // A search that finds nothing proves nothing.
        #expect(seen.isSuperset(of: ["/Redacted.swift", "/Redacted+Stored.swift", "/Secret.swift"]))
    }

    /// Each way of spelling a value, with the files that may use it.
    private var ways: [(Regex<Substring>, [String])] {
        [
            (/\bredaction\b|••••/, ["/Redacted.swift", "/Redacted+Stored.swift", "/Secret.swift"]),
            (/func \w+\(\w* ?\w+: Any\) -> String/, ["/Redacted.swift"]),
            (/String\(describing:|String\(reflecting:|\bdump\(/, ["/Redacted.swift"]),
            (/\bshort(?:Spelling|JSON)\b/, ["/Redacted+Stored.swift"]),
            // Words for the decoder, which knows no setting; errors about secrets leave them out.
            (/\bvalue\.summary\b|\bvar summary\b/, ["/Redacted+Stored.swift", "/SettingCodingError.swift"]),
            // A value straight into text.
            (/\\\((?:\w+\.)*(?:old|new|visible|committed|erased|default|wrapped|published)Value\b/, []),
        ]
    }
}
