import Foundation
import Settle
import Testing

@Suite struct StandardLocationTests {
    private func path(
        _ name: String, format: FileFormat? = nil, subfolder: String = ".config", override: String? = nil
    ) throws(StorageError) -> String {
        try StandardLocation(home: "/home/me", subfolder: subfolder, override: override)
            .file(forStore: name, format: format).path
    }

    @Test("A store's file is in the user's configuration folder") func home() throws {
        #expect(try path("com.example.app") == "/home/me/.config/com.example.app/settings.json")
        #expect(
            try path("com.example.app", subfolder: "Library/Application Support")
                == "/home/me/Library/Application Support/com.example.app/settings.json")
    }

    @Test("The variable counts only if it holds an absolute path") func override() throws {
        #expect(try path("app", override: "/etc/xdg") == "/etc/xdg/app/settings.json")
        #expect(try path("app", override: "relative") == "/home/me/.config/app/settings.json")
        #expect(try path("app", override: "") == "/home/me/.config/app/settings.json")
    }

    @Test("The file's name has the extension of its format") func formats() throws {
        #expect(try path("app", format: .json).hasSuffix("app/settings.json"))
        #expect(try path("app", format: .propertyListXML).hasSuffix("app/settings.plist"))
        #expect(try path("app", format: .propertyListBinary).hasSuffix("app/settings.plist"))
    }

    @Test("A name that can't name a folder is an error that says so", arguments: ["", ".", "..", "a/b", "/", "a\0b"])
    func badNames(name: String) {
        let error = #expect(throws: StorageError.self) { try path(name) }
        #expect(error?.description.contains("can't be the name of a store") == true)
    }

    @Test("Names keep spaces, percent signs and accented letters") func oddNames() throws {
        #expect(try path("Ünï 100%41 app") == "/home/me/.config/Ünï 100%41 app/settings.json")
    }

    #if !canImport(Darwin)
        @Test("HOME counts if it is an absolute path and XDG_CONFIG_HOME is not set") func homeVariable() throws {
            func path(_ environment: [String: String]) throws -> String {
                try StandardLocation(environment: environment).file(forStore: "app").path
            }
            #expect(try path(["HOME": "/tmp/home"]) == "/tmp/home/.config/app/settings.json")
            #expect(try path(["HOME": "/tmp/home", "XDG_CONFIG_HOME": "/etc/xdg"]) == "/etc/xdg/app/settings.json")
            let known = FileManager.default.homeDirectoryForCurrentUser.path + "/.config/app/settings.json"
            #expect(try path(["HOME": "relative"]) == known)
            #expect(try path(["HOME": ""]) == known)
            #expect(try path([:]) == known)
        }
    #endif

    @Test("The current user's location is absolute") func current() throws {
        #expect(try StandardLocation().file(forStore: "app").path.hasPrefix("/"))
    }
}
