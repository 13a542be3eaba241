import Foundation
import Testing

@testable import Settle

@Suite struct FilePathTests {
    @Test(
        "A path has a folder and a name",
        arguments: [
            ("/a/b/c.json", "/a/b", "c.json"), ("/a", "/", "a"), ("/", "/", ""), ("a", ".", "a"), ("a/b", "a", "b"),
            ("/ä/ö.json", "/ä", "ö.json"), ("/a/\u{301}b/\u{301}c", "/a/\u{301}b", "\u{301}c"),
        ])
    func parts(text: String, folder: String, name: String) {
        #expect(FilePath(text).folder.text == folder)
        #expect(FilePath(text).name == name)
    }

    @Test("A URL's path is that of its file", arguments: ["/a/b.json", "/a b/c.json", "/50%/a%20b.json", "/ä/ö.json"])
    func url(text: String) {
        #expect(FilePath(URL(filePath: text, directoryHint: .notDirectory)).text == text)
        #expect(FilePath(URL(filePath: text + "/", directoryHint: .isDirectory)).text == text)
    }

    @Test("A name is appended with one slash") func appending() {
        #expect(FilePath("/a").appending("b").text == "/a/b")
        #expect(FilePath("/").appending("b").text == "/b")
        #expect(FilePath("/a/b").sibling(named: "c").text == "/a/c")
    }

    @Test(
        "The parts of a path are between its slashes, which may form a character with the bytes around them",
        arguments: [
            ("/a//b.json/", ["a", "b.json"]), ("/", [] as [String]), ("a/../.", ["a", "..", "."]),
            ("/\u{301}a/\u{301}b", ["\u{301}a", "\u{301}b"]), ("/a\u{600}/b", ["a\u{600}", "b"]),
        ])
    func parts(text: String, parts: [String]) {
        #expect(FilePath(text).parts == parts)
        #expect(FilePath(text).isAbsolute == (text.unicodeScalars.first == "/"))
    }

    @Test(
        "Trailing slashes are dropped, except the root",
        arguments: [
            ("/a//", "/a"), ("/a", "/a"), ("//", "/"), ("/a/\u{301}/", "/a/\u{301}"), ("/ä\u{600}/", "/ä\u{600}"),
        ])
    func trailing(text: String, expected: String) {
        #expect(FilePath(text).withoutTrailingSlashes.text == expected)
    }

    @Test(
        "A path is plain if it is absolute, and no name in it is empty or dots",
        arguments: [
            ("/a/b.json", true), ("/.a/..b/c.", true), ("/", false), ("", false), ("a/b", false), ("/a//b", false),
            ("/a/", false), ("/a/./b", false), ("/a/../b", false), ("/a/..", false),
        ])
    func plain(text: String, isPlain: Bool) {
        #expect(FilePath(text).isPlain == isPlain)
    }
}
