import Settle
import Testing

@Suite struct FileNamesTests {
    private let names = FileNames(FilePath("/folder/settings.json"))

    @Test("All names are in the file's folder") func sameFolder() {
        for path in [names.previous, names.newTemporary(), names.corrupt(7)] {
            #expect(path.folder == names.folder)
        }
        #expect(names.previous.name == ".settings.json.previous")
        #expect(names.corrupt(7).name == "settings.json.corrupt-7")
    }

    @Test("Each temporary name is unique and recognized") func temporary() {
        let made = (0..<100).map { _ in names.newTemporary() }
        #expect(Set(made).count == made.count)
        for path in made { #expect(names.isTemporary(path.name)) }
    }

    @Test("No other name counts as temporary")
    func others() {
        let cases: [String] = [
            "settings.json", ".settings.json.previous", ".settings.json.tmp", ".settings.json.0123456789abcde.tmp",
            ".settings.json.0123456789abcdeg.tmp", ".settings.json2.0123456789abcdef.tmp",
            "settings.json.0123456789abcdef.tmp", ".settings.json.0123456789abcdef.tmp2",
        ]
        for name in cases {
            #expect(!names.isTemporary(name), "\(name)")
        }
    }
}
