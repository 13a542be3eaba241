import Foundation
import Testing

@testable import Settle

@Suite struct DomainPlacesTests {
    private let location = StandardLocation(home: "/home/me", subfolder: ".config", override: nil)

    private func hostFile(forStore name: String, host: String? = nil) throws -> URL {
        StandardLocation.hostFile(besides: try location.file(forStore: name), host: host)
    }

    @Test("The machine's file is beside the application's, whatever network the machine is in") func host() throws {
        let file = try hostFile(forStore: "app", host: "Desk.example.com").path
        #expect(file == "/home/me/.config/app/settings@desk.json")
        #expect(try hostFile(forStore: "app", host: "desk.local").path == file)
        for host in ["", ".", "a/b", "a\0b"] {
            #expect(
                try hostFile(forStore: "app", host: host).path
                    == "/home/me/.config/app/settings@localhost.json")
        }
        #expect(try !hostFile(forStore: "app").path.contains("@localhost") || currentHostName() == "localhost")
    }

    @Test("All programs of a user share one file") func global() {
        #expect(location.globalFile.path == "/home/me/.config/settle/global.json")
        let elsewhere = StandardLocation(home: "/home/me", subfolder: ".config", override: "/conf")
        #expect(elsewhere.globalFile.path == "/conf/settle/global.json")
    }

    @Test("An administrator's files are where only administrators write") func administrator() throws {
        #if canImport(Darwin)
            #expect(try StandardLocation.systemFile(forStore: "app").path.hasPrefix("/Library/"))
        #else
            #expect(try StandardLocation.systemFile(forStore: "app").path == "/etc/settle/app.json")
            #expect(StandardLocation.managedFolder == "/etc/settle/managed")
        #endif
    }

    @Test("A name that leads elsewhere is refused in every place", arguments: ["", "..", "a/b", "a\0b"])
    func names(name: String) {
        #expect(throws: StorageError.self) { try hostFile(forStore: name) }
        #expect(throws: StorageError.self) { try StandardLocation.systemFile(forStore: name) }
    }
}
