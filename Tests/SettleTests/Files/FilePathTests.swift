import Settle
import Testing

@Suite struct FilePathTests {
    @Test(
        "A path has a folder and a name",
        arguments: [
            ("/a/b/c.json", "/a/b", "c.json"), ("/a", "/", "a"), ("/", "/", ""), ("a", ".", "a"), ("a/b", "a", "b"),
        ])
    func parts(text: String, folder: String, name: String) {
        #expect(FilePath(text).folder.text == folder)
        #expect(FilePath(text).name == name)
    }

    @Test("A name is appended with one slash") func appending() {
        #expect(FilePath("/a").appending("b").text == "/a/b")
        #expect(FilePath("/").appending("b").text == "/b")
        #expect(FilePath("/a/b").sibling(named: "c").text == "/a/c")
    }

    @Test("Trailing slashes are dropped, except the root", arguments: [("/a//", "/a"), ("/a", "/a"), ("//", "/")])
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
