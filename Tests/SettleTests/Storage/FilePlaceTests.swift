import Testing

@testable import Settle

@Suite struct FilePlaceTests {
    @Test("Watched are the files, the journal, and each link on the way, in their folders") func watchedNames() {
        let names = FileNames(FilePath("/real/settings.json"))
        let files: Set<String> = ["settings.json", names.state.name, names.journal.name]
        #expect(FilePlace(names: names).watchedNames == [FilePath("/real"): files])
        let links = ["/home/settings.json", "/home/other", "/real/link"].map { FilePath($0) }
        #expect(
            FilePlace(names: names, links: links).watchedNames
                == [FilePath("/home"): ["settings.json", "other"], FilePath("/real"): files.union(["link"])])
    }

    @Test("Watched is the folder for state, too, if it is another one") func watchedStateFolder() {
        let names = FileNames(FilePath("/home/.config/app/settings.json"))
        #expect(
            FilePlace(names: names).watchedNames == [
                FilePath("/home/.config/app"): ["settings.json"],
                FilePath("/home/.local/state/app"): [names.state.name, names.journal.name],
            ])
    }
}
