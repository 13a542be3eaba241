import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle
@testable import SettleUsers

/// Links in the home of the user.
extension UserStoreTests {
    @Test(
        "A link at any place keeps the store from opening or saving, and the error names it",
        arguments: TestHome.Disk.allCases)
    func links(disk: TestHome.Disk) async throws {
        let names = { (home: TestHome) in FileNames(file(in: home)) }
        let places: [(TestHome) -> FilePath] = [
            { home in path("", in: home).withoutTrailingSlashes }, { names($0).folder }, { names($0).file },
            { names($0).stateFolder }, { names($0).journal }, { names($0).displaced },
        ]
        for place in places {
            for isDangling in [false, true] {
                let home = try TestHome(disk)
                let target = home.root.appending("etc")
                // The files that root would find or replace behind each of the links.
                for path in ["\(Self.name)/settings.json", "settings.json"] where !isDangling {
                    try home.write("{\"count\": 100}", to: target.appending(path), of: 0)
                }
                try home.write("{\"count\": 2}", to: file(in: home))
                let link = place(home)
                if link.folder != home.path.folder { try home.makeFolders(link.folder) }
                let isFolder = (try? home.disk.status(at: link.text).kind) == .folder
                let targetOfFolder = link == names(home).folder ? target.appending(Self.name) : target
                try home.link(
                    link,
                    to: isDangling
                        ? target.appending("none") : isFolder ? targetOfFolder : target.appending("settings.json"))
                let before = try home.everything()
                let failure = await error {
                    let store = try await open(home)
                    let settings = try await store.group(AppSettings.self)
                    settings.count = 3
                    do {
                        try await store.file.flush()
                    } catch {
                        // Values that could not be saved stay in memory.
                        #expect(settings.count == 3)
                        home.disk.heal()
                        throw error
                    }
                    return store
                }
                #expect(
                    failure?.description.contains("\(link.quoted) is a symbolic link") == true,
                    "\(link): \(String(describing: failure))")
                let outside = try home.everything().filter { !$0.key.hasPrefix(home.path.text) }
                #expect(outside == before.filter { !$0.key.hasPrefix(home.path.text) }, "\(link)")
                #expect(try home.disk.status(at: link.text).kind == .symbolicLink)
            }
        }
    }

    @Test("A link at the place of a named lock is refused, and nothing is made behind it") func linkedLock()
        async throws
    {
        let home = try TestHome()
        try home.write("{}", to: file(in: home))
        let lock = FileNames(file(in: home)).lock(named: "backup")
        try home.makeFolders(lock.folder)
        try home.link(lock, to: home.root.appending("lock"))
        let before = try home.everything()
        let store = try await open(home)
        let failure = await error { try await store.withLock(named: "backup") {} }
        #expect(failure?.description.contains("backup.lock” is a symbolic link") == true)
        try home.expectNothingOutside(than: before)
        try await store.close()
    }

    @Test("A folder that is exchanged for a link while the store is open gets nothing, and what was written stays")
    func exchanged() async throws {
        try await exchange { $0.stateFolder }
    }

    @Test("The same of the folder of configuration, where the next version of the file would be")
    func exchangedConfiguration() async throws {
        try await exchange { $0.folder }
    }

    private func exchange(_ folder: (FileNames) -> FilePath) async throws {
        let home = try TestHome()
        try home.write("{\"count\": 2}", to: file(in: home))
        try home.write("{\"count\": 100}", to: home.root.appending("etc/settings.json"), of: 0)
        let store = try await open(home)
        let settings = try await store.group(AppSettings.self)
        try await settings.commit { settings.count = 3 }
        let before = try home.everything()
        let names = FileNames(file(in: home))
        let folder = folder(names)
        try home.link(folder, to: home.root.appending("etc"))
        let failure = await error {
            try await settings.commit { settings.count = 4 }
            // The journal is elsewhere.
            #expect(folder == names.folder)
            try await store.file.flush()
        }
        #expect(
            failure?.description.contains("\(folder.quoted) is a symbolic link") == true,
            "\(String(describing: failure))")
        #expect(settings.count == (folder == names.folder ? 4 : 3))
        try home.expectNothingOutside(than: before)
        // The user puts the folder back.
        try home.disk.removeFile(folder.text)
        let moved = try #require(try home.disk.namesInFolder(folder.folder.text).first { $0.hasPrefix("moved away") })
        try home.disk.renameFile(folder.sibling(named: moved).text, to: folder.text)
        try await settings.commit { settings.count = 5 }
        try await store.file.flush()
        #expect(try home.text(of: file(in: home)).contains("5"))
        try await store.close()
        try home.expectNothingOutside(than: before)
    }
}
