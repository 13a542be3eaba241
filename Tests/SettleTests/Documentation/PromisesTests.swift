import Foundation
import Testing

/// The promises page and the suites it names.
@Suite struct PromisesTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    @Test("Promises are numbered consecutively, and every suite they name has tests") func suites() throws {
        let page = root.appending(path: "Sources/Settle/Settle.docc/Promises.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let rows = text.matches(of: /^\| (\d+) \| (.+) \| (.+) \|$/.anchorsMatchLineEndings())
        #expect(rows.map { Int($0.1) } == Array(1...rows.count) && rows.count > 30)
        let tested = try testedTypes()
        for row in rows {
            let suites = row.3.matches(of: /`(\w+)`/).map { String($0.1) }
            #expect(!suites.isEmpty, "Promise \(row.1) names no suite.")
            for suite in suites {
                #expect(tested.contains(suite), "Promise \(row.1) names \(suite), which has no tests.")
            }
        }
    }

    /// The structs that are declared in files with tests.
    private func testedTypes() throws -> Set<String> {
        let folder = root.appending(path: "Tests")
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path))
        var names: Set<String> = []
        for case let path as String in paths where path.hasSuffix("Tests.swift") && !path.contains(".build/") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            guard text.contains("@Test") else { continue }
            for part in text.components(separatedBy: "struct ").dropFirst() {
                names.insert(String(part.prefix { $0.isLetter || $0.isNumber }))
            }
        }
        return names
    }
}
