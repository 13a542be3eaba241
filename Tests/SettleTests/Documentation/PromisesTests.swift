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
        let sources = try sources()
        for row in rows {
            let suites = row.3.matches(of: /`(\w+)`/).map { String($0.1) }
            #expect(!suites.isEmpty, "Promise \(row.1) names no suite.")
            for suite in suites {
                let home = sources.first { $0.contains("struct \(suite) ") || $0.contains("struct \(suite):") }
                #expect(home?.contains("@Test") == true, "Promise \(row.1) names \(suite), which has no tests.")
            }
        }
    }

    private func sources() throws -> [String] {
        let folder = root.appending(path: "Tests")
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path))
        return try paths.compactMap { path -> String? in
            guard let path = path as? String, path.hasSuffix("Tests.swift"), !path.contains(".build/") else {
                return nil
            }
            return try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
    }
}
