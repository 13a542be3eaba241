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

    @Test("A file in a folder within .config has the other names in the state folder beside it")
    func stateFolder() {
        let names = FileNames(FilePath("/home/me/.config/app/settings.json"))
        let state = FilePath("/home/me/.local/state/app")
        let others = [names.journal, names.previous, names.beforeMigration, names.state, names.lock(named: "a")]
        for path in others + [names.corruptJournal(1)] { #expect(path.folder == state, "\(path)") }
        for path in [names.displaced, names.newTemporary(), names.schema, names.corrupt(1)] {
            #expect(path.folder == names.folder, "\(path)")
        }
        #expect(names.newTemporary(for: names.journal).folder == state)
        let ofState = names.names(ofCompanion: names.state)
        #expect(ofState.newTemporary().folder == state && ofState.corrupt(1).folder == state)
        #expect(names.isTemporary(ofState.newTemporary().name))
    }

    @Test(
        "The folder for state follows from the path alone",
        arguments: [
            ("/home/me/.config/app/a/b.json", "/home/me/.local/state/app/a"),
            ("/.config/app/a.json", "/.local/state/app"),
            ("/x/.config/y/.config/app/a.json", "/x/.config/y/.local/state/app"),
            ("/home/José 🙂/.config/Ünï/a.json", "/home/José 🙂/.local/state/Ünï"),
            // A folder of many programs, such as that of a project, and names that are no folder.
            ("/project/.config/a.json", "/project/.config"), ("/x/.config", "/x"),
            ("/x/a.config/b/c.json", "/x/a.config/b"),
            ("/x/.configs/b/c.json", "/x/.configs/b"), ("/a.json", "/"), ("/etc/app/a.json", "/etc/app"),
            // What is in the state folder of a home that is itself a program's folder stays there.
            ("/x/.local/state/app/a.json", "/x/.local/state/app"),
        ])
    func stateFolders(file: String, folder: String) {
        #expect(FileNames(FilePath(file)).stateFolder == FilePath(folder))
    }

    @Test("Each temporary name is unique and recognized") func temporary() {
        let made = (0..<100).map { _ in names.newTemporary() }
        #expect(Set(made).count == made.count)
        let ofCompanions = [names.state, names.schema].map { names.names(ofCompanion: $0).newTemporary() }
        for path in made + ofCompanions { #expect(names.isTemporary(path.name)) }
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
