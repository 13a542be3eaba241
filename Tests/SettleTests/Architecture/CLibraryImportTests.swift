import Foundation
import Testing

/// A file that imports the C library does so on all platforms, by the same list.
@Suite struct CLibraryImportTests {
    private let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    @Test("Each import of a C library stands in a list of all of them", arguments: ["Sources", "Examples", "Tests"])
    func lists(_ folder: String) throws {
        let paths = try #require(FileManager.default.enumerator(atPath: repository.appending(path: folder).path))
        var count = 0
        for case let path as String in paths
        where path.hasSuffix(".swift") && !path.contains(".build/") && !Self.exceptions.contains("\(folder)/\(path)") {
            let text = try String(contentsOf: repository.appending(path: "\(folder)/\(path)"), encoding: .utf8)
            // Quicker than the search for lines.
            guard Self.complete[0].contains(where: { text.contains("import \($0)") }) else { continue }
            if Self.imports(in: text) > 0 { count += 1 }
            #expect(Self.isComplete(text), "\(folder)/\(path) does not import the C library as other files do.")
        }
        // A search that finds nothing proves nothing.
        #expect(count > 5)
    }

    @Test("A list without a library, without an end, or in another order is noticed") func incomplete() throws {
        let whole = Self.list(["Darwin", "Glibc", "Musl", "Android", "Bionic"])
        #expect(Self.isComplete(whole) && Self.isComplete("import Foundation"))
        let others = [
            whole.replacing("    import Musl\n", with: ""), whole.replacing("#elseif canImport(Bionic)", with: "#else"),
            whole.replacing("#endif", with: "#else\n    import Glibc\n#endif"),
            Self.list(["Darwin", "Musl", "Glibc", "Android", "Bionic"]), Self.list(["Darwin", "Glibc", "Musl"]),
            Self.list(["Glibc"]), "import Glibc", "import Darwin",
        ]
        for text in others { #expect(!Self.isComplete(text), "\(text)") }
    }

    /// They are for one platform: the toolchain's kit for fuzzing, and what stands for Apple's modules.
    private static let exceptions: Set = [
        "Tests/Fuzz/InputBounds.swift", "Tests/Apple/overlay/Darwin.swift", "Tests/Apple/overlay/Dispatch.swift",
        "Tests/Apple/overlay/Foundation.swift", "Tests/Apple/overlay/os.swift",
    ]

    /// Of all platforms, and of those that are not Apple's.
    private static let complete = [
        ["Darwin", "Glibc", "Musl", "Android", "Bionic"], ["Glibc", "Musl", "Android", "Bionic"],
    ]

    private static func isComplete(_ text: String) -> Bool {
        let plain = Self.plain(text)
        let count = imports(in: text)
        return count == 0 || complete.contains { $0.count == count && plain.contains(Self.plain(list($0))) }
            // A file for Apple's platforms alone has more than the import in its condition.
            || count == 1 && plain.hasPrefix("#if canImport(Darwin)\nimport Darwin\n")
    }

    private static func imports(in text: String) -> Int {
        let one = /^import (?:Darwin|Glibc|Musl|Android|Bionic)$/
        return plain(text).matches(of: one.anchorsMatchLineEndings()).count
    }

    /// Without indentation and attributes.
    private static func plain(_ text: String) -> String {
        let attributes = /^ *(?:@\w+ |package |public |internal )*/
        return text.split(separator: "\n").map { $0.replacing(attributes, with: "", maxReplacements: 1) }
            .joined(separator: "\n")
    }

    private static func list(_ names: [String]) -> String {
        names.enumerated().map { "\($0 == 0 ? "#if" : "#elseif") canImport(\($1))\n    import \($1)\n" }.joined()
            + "#endif\n"
    }
}
