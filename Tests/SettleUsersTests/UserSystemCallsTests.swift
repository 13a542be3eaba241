import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle
@testable import SettleUsers

@Suite(.timeLimit(.minutes(10))) struct UserSystemCallsTests {
    /// Every call that takes a path, for the file or folder of that path.
    private static let calls: [(name: String, call: @Sendable (UserSystemCalls, String) throws -> Void)] = [
        ("read", { calls, path in try open(calls, path, .read) }),
        ("update", { calls, path in try open(calls, path, .update) }),
        (
            "update or create",
            { calls, path in try open(calls, path, .updateOrCreate(permissions: 0o600)) }
        ),
        ("open the folder", { calls, path in try open(calls, path, .folder) }),
        ("status", { calls, path in _ = try calls.status(at: path) }),
        ("follow", { calls, path in _ = try calls.linkTarget(path) }),
        ("permissions", { calls, path in try calls.setPermissions(at: path, to: 0o700) }),
        ("replace", { calls, path in try replace(calls, path) }),
        ("link", { calls, path in try calls.linkFile(path, to: path + "2") }),
        ("remove", { calls, path in try calls.removeFile(path) }),
        ("list", { calls, path in _ = try calls.namesInFolder(path) }),
    ]

    private static func open(_ calls: UserSystemCalls, _ path: String, _ mode: OpenMode) throws {
        try calls.closeFile(calls.openFile(path, mode))
    }

    private static func replace(_ calls: UserSystemCalls, _ path: String) throws {
        try open(calls, path + ".tmp", .createNew(permissions: 0o600))
        do {
            try calls.renameFile(path + ".tmp", to: path)
        } catch {
            try calls.removeFile(path + ".tmp")
            throw error
        }
    }

    @Test(
        "A link is refused by every call, as the last name and on the way, and nothing is changed behind it",
        arguments: TestHome.Disk.allCases)
    func links(disk: TestHome.Disk) throws {
        let home = try TestHome(disk)
        let target = home.root.appending("etc/app/settings.json")
        try home.write("{}", to: target, of: 0)
        try home.write("{}", to: home.path("real/app/settings.json"))
        try home.makeFolders(home.path(".config/own"))
        // The last name, to a file, a folder, a file of the user, and to nothing.
        let last = ["a": target, "b": target.folder, "c": home.path("real/app/settings.json"), "d": home.path("none")]
        for (name, target) in last { try home.link(home.path(".config/own/" + name), to: target) }
        // On the way: the first folder below the home, and one in the middle.
        try home.link(home.path("way"), to: home.root.appending("etc"))
        try home.link(home.path(".config/app"), to: home.path("real/app"))
        let before = try home.everything()
        let paths =
            last.keys.map { (".config/own/" + $0, ".config/own/" + $0) } + [
                ("way/app/settings.json", "way"), ("way/app", "way"), (".config/app/settings.json", ".config/app"),
            ]
        #expect(throws: SystemError.tooManySymbolicLinks) {
            try home.calls.status(at: home.path("way/\u{301}app").text)
        }
        for (path, link) in paths {
            for (name, call) in Self.calls {
                let error = #expect(throws: SystemError.self, "\(name) \(path)") {
                    try call(home.calls, home.path(path).text)
                }
                #expect(error == .tooManySymbolicLinks, "\(name) \(path): \(String(describing: error))")
                #expect(error?.description.contains("\(home.path(link).quoted) is a symbolic link") == true)
            }
        }
        // To Swift, the slash before the accent is another character.
        for path in ["way/new", ".config/app/new", "way/\u{301}new"] {
            #expect(throws: SystemError.tooManySymbolicLinks) {
                try home.calls.makeFolder(home.path(path).text, permissions: 0o700)
            }
            #expect(throws: SystemError.tooManySymbolicLinks) {
                try Self.open(home.calls, home.path(path).text, .createNew(permissions: 0o600))
            }
        }
        #expect(throws: SystemError.alreadyExists) {
            try Self.open(home.calls, home.path(".config/own/d").text, .createNew(permissions: 0o600))
        }
        let files = { (all: [String: FileStatus]) in all.filter { $0.value.kind == .file } }
        #expect(try files(home.everything()) == files(before))
        #expect(try Set(home.everything().keys) == Set(before.keys))
        #expect(home.disk.openFiles == [])
    }

    @Test("What belongs to somebody else is refused, also under a second name", arguments: TestHome.Disk.allCases)
    func foreign(disk: TestHome.Disk) throws {
        let home = try TestHome(disk)
        guard home.canGiveAway else { return }
        let secret = home.root.appending("shadow")
        try home.write("secret", to: secret, of: 0)
        try home.write("{}", to: home.path("app/settings.json"), of: 777)
        try home.makeFolders(home.path("own"))
        try home.disk.linkFile(secret.text, to: home.path("own/settings.json").text)
        let before = try home.everything()
        for (path, owner) in [("app/settings.json", 777), ("app", 777), ("own/settings.json", 0)] {
            let full = home.path(path)
            let isFolder = path == "app"
            for (name, call) in Self.calls
            where name.hasPrefix("update") ? !isFolder : isFolder || !["open the folder", "list"].contains(name) {
                let error = #expect(throws: SystemError.self, "\(name) \(path)") { try call(home.calls, full.text) }
                #expect(error == .notPermitted, "\(name) \(path)")
                let culprit = path.hasPrefix("app") ? home.path("app") : full
                #expect(error?.description.contains("\(culprit.quoted) belongs to user \(owner)") == true)
            }
        }
        let files = { (all: [String: FileStatus]) in all.filter { $0.value.kind == .file } }
        #expect(try files(home.everything()) == files(before))
        #expect(try home.text(of: secret) == "secret")
    }

    @Test("What is made belongs to the user, and has the permissions asked for", arguments: TestHome.Disk.allCases)
    func made(disk: TestHome.Disk) throws {
        let home = try TestHome(disk)
        let (calls, before) = (home.calls, try home.everything())
        try calls.makeFolder(home.path("a").text, permissions: 0o700)
        try Self.open(calls, home.path("a/new").text, .createNew(permissions: 0o600))
        try Self.open(calls, home.path("a/update").text, .updateOrCreate(permissions: 0o600))
        // Again, now that it is there.
        try Self.open(calls, home.path("a/update").text, .updateOrCreate(permissions: 0o600))
        try calls.linkFile(home.path("a/new").text, to: home.path("a/second").text)
        try calls.renameFile(home.path("a/update").text, to: home.path("a/renamed").text)
        try calls.setPermissions(at: home.path("a/renamed").text, to: 0o400)
        #expect(try calls.namesInFolder(home.path("a").text).sorted() == ["new", "renamed", "second"])
        #expect(try calls.status(at: home.path("a").text).permissions == 0o700)
        #expect(try calls.status(at: home.path("a/new").text).permissions == 0o600)
        #expect(try calls.status(at: home.path("a/renamed").text).permissions == 0o400)
        try home.expectNothingOutside(than: before)
        #expect(home.disk.openFiles == [])
        try calls.removeFile(home.path("a/new").text)
        #expect(throws: SystemError.notFound) { try calls.status(at: home.path("a/new").text) }
        #expect(throws: SystemError.notFound) { try calls.status(at: home.path("b/new").text) }
    }

    @Test(
        "A write to a file that was just made is reported under its name",
        arguments: [OpenMode.createNew(permissions: 0o600), .updateOrCreate(permissions: 0o600)])
    func watched(mode: OpenMode) async throws {
        let home = try TestHome(.real)
        let (folder, told) = (home.path("a"), WatchedEvents())
        try home.makeFolders(folder)
        let file = try home.calls.openFile(folder.appending("new").text, mode)
        let watch = SystemFileWatching.shared.watch([folder: ["new", "last"]]) { told.add($0) }
        try FileOperations(home.calls).write([1], to: file, at: folder.appending("new"))
        // Reported after everything before it.
        try home.write("", to: folder.appending("last"))
        #expect(await told.next(.replaced).files.contains(folder.appending("new")))
        try home.calls.closeFile(file)
        watch.cancel()
    }

    @Test(
        "A file that takes the place of one just made is not taken for it",
        arguments: TestHome.Disk.allCases)
    func replaced(disk: TestHome.Disk) throws {
        for mode in [OpenMode.createNew(permissions: 0o600), .updateOrCreate(permissions: 0o600)] {
            let home = try TestHome(disk)
            let (path, isReplaced) = (home.path("a/new"), LockedValue(false))
            try home.makeFolders(path.folder)
            home.disk.beforeNext(.link) {
                // Once it has its name.
                home.disk.beforeNext(.update) {
                    isReplaced.withLock { $0 = true }
                    try? home.write("{}", to: path)
                }
            }
            if case .createNew = mode {
                #expect(throws: SystemError.alreadyExists) { try home.calls.openFile(path.text, mode) }
            } else {
                // Then it is one that was there.
                try home.calls.closeFile(home.calls.openFile(path.text, mode))
            }
            #expect(isReplaced.withLock { $0 })
            #expect(try home.text(of: path) == "{}")
            #expect(try home.disk.namesInFolder(path.folder.text) == ["new"])
            #expect(home.disk.openFiles == [])
        }
    }

    @Test("Nothing is given to anybody else") func setOwner() throws {
        let home = try TestHome()
        try home.write("", to: home.path("a/file"))
        let file = try home.calls.openFile(home.path("a/file").text, .update)
        try home.calls.setOwner(of: file, toUser: 777, group: 50)
        let owner = FileStatus.Owner(user: home.account.owner.user, group: 50)
        #expect(try home.calls.status(of: file).owner == owner)
        try home.calls.setOwner(of: file, toUser: nil, group: 51)
        #expect(try home.calls.status(of: file).owner.group == 51)
        try home.calls.closeFile(file)
    }

    @Test("What can't be given to the user is removed again, and the error says why", arguments: TestHome.Disk.allCases)
    func notGiven(disk: TestHome.Disk) throws {
        let home = try TestHome(disk)
        guard home.canGiveAway else { return }
        try home.makeFolders(home.path("a"))
        let before = try Set(home.everything().keys)
        home.disk.fail(every: .setOwner, with: .notPermitted)
        for make in [
            { path in try home.calls.makeFolder(path, permissions: 0o700) },
            { path in try Self.open(home.calls, path, .createNew(permissions: 0o600)) },
            { path in try Self.open(home.calls, path, .updateOrCreate(permissions: 0o600)) },
        ] as [(String) throws -> Void] {
            let error = #expect(throws: SystemError.self) { try make(home.path("a/new").text) }
            #expect(error == .notPermitted)
            for part in ["“alice”", "12345", "must belong", "permitted"] {
                #expect(error?.description.contains(part) == true, "\(String(describing: error))")
            }
        }
        #expect(try Set(home.everything().keys) == before)
        #expect(home.disk.openFiles == [])
    }

    @Test("Nothing outside of the home is opened, made or removed, whatever the path looks like")
    func outside() throws {
        let home = try TestHome()
        try home.write("{}", to: home.root.appending("alice2/file"))
        try home.write("{}", to: home.path("a/b/file"))
        let before = try home.everything()
        let paths = [
            "alice2/file", "alice/../alice2/file", "alice/a/../../alice2/file", "none", "alice/a/./b/file",
            "alice/a/b/../b/file",
        ]
        for path in paths.map({ home.root.appending($0).text }) + ["/", "/etc/passwd", "relative", ""] {
            for (name, call) in Self.calls where name != "follow" {
                #expect(throws: SystemError.self, "\(name) \(path)") { try call(home.calls, path) }
            }
            #expect(throws: SystemError.self) { try home.calls.makeFolder(path, permissions: 0o700) }
        }
        for path in [home.path.text, home.root.text, "/"] {
            #expect(throws: SystemError.self) { try home.calls.makeFolder(path, permissions: 0o700) }
            #expect(throws: SystemError.self) { try home.calls.removeFile(path) }
            #expect(throws: SystemError.self) { try home.calls.renameFile(path, to: path + "2") }
            #expect(throws: SystemError.invalidArgument) { try home.calls.linkTarget(path) }
        }
        #expect(try home.everything() == before)
        // The home itself can be synced.
        try Self.open(home.calls, home.path.text, .folder)
        #expect(home.disk.openFiles == [])
    }

    @Test("A home that is missing is not made") func missingHome() throws {
        let home = try TestHome()
        let account = UserAccount(name: "bob", owner: home.account.owner, home: home.root.appending("bob"))
        let operations = FileOperations(UserSystemCalls(home.disk, of: account))
        let error = #expect(throws: FileError.self) {
            try operations.makeFolders(account.home.appending(".config/app"))
        }
        #expect(error?.description.contains("\(account.home.quoted) itself is not made") == true)
        #expect(try Set(home.everything().keys) == [home.path.text])
    }

    @Test("A home at the root of the disk has all files in it") func rootHome() throws {
        let home = try TestHome()
        let account = UserAccount(name: "daemon", owner: home.account.owner, home: FilePath("/"))
        let calls = UserSystemCalls(home.disk, of: account)
        try home.write("{}", to: FilePath("/own/file"))
        #expect(try calls.status(at: "/own/file").kind == .file)
        #expect(try FileOperations(calls).resolve(FilePath("/own/file")).resolved.text == "/own/file")
        #expect(throws: SystemError.notPermitted) { try calls.status(at: home.path.text) }
    }

    /// What a call does on the way, at which the user may exchange something.
    private static let moments: [SystemCall.Kind] = [
        .open, .openFolder, .create, .update, .status, .rename, .link, .remove, .makeFolder, .setOwner, .setPermissions,
        .names, .close,
    ]

    @Test(
        "A folder that is exchanged for a link at any moment leads no call out of the home",
        arguments: TestHome.Disk.allCases)
    func exchanged(disk: TestHome.Disk) throws {
        for kind in Self.moments {
            for (name, call) in Self.calls + [("make", Self.makeFolder)] {
                for exchanged in ["a", "a/b", "a/b/file"] {
                    let home = try TestHome(disk)
                    try home.write("{}", to: home.path("a/b/file"))
                    for path in ["b/file", "file", "new"] {
                        try home.write("precious", to: home.root.appending("etc").appending(path), of: 0)
                    }
                    let before = try home.everything()
                    home.disk.beforeNext(kind) { [unowned home] in
                        try? home.link(
                            home.path(exchanged),
                            to: home.root.appending("etc").appending(exchanged == "a/b/file" ? "file" : ""))
                    }
                    try? call(home.calls, home.path("a/b/file").text)
                    let outside = { (all: [String: FileStatus]) in all.filter { $0.key.contains("/etc") } }
                    #expect(try outside(home.everything()) == outside(before), "\(name), \(exchanged) before \(kind)")
                    for (path, status) in try home.everything()
                    where path.hasPrefix(home.path.text + "/") && status.kind != .symbolicLink {
                        #expect(status.owner == home.account.owner, "\(name), \(path), \(exchanged) before \(kind)")
                    }
                    #expect(home.disk.openFiles == [], "\(name), \(exchanged) before \(kind)")
                }
            }
        }
    }

    private static let makeFolder: @Sendable (UserSystemCalls, String) throws -> Void = { calls, path in
        try calls.makeFolder(FilePath(path).sibling(named: "made").text, permissions: 0o700)
    }

    @Test(
        "A folder of somebody else that takes the place of one just made is not given to the user",
        arguments: TestHome.Disk.allCases)
    func exchangedFolder(disk: TestHome.Disk) throws {
        let home = try TestHome(disk)
        guard home.canGiveAway else { return }
        try home.makeFolders(home.path("a"))
        try home.write("private", to: home.path("a/roots/file"), of: 0)
        let made = LockedValue("")
        home.disk.beforeNext(.openFolder) {
            // Once the folder in which it is made is open, and before it is opened itself.
            home.disk.beforeNext(.openFolder) {
                home.disk.beforeNext(.openFolder) {
                    // Under its first name.
                    let names = try? home.disk.namesInFolder(home.path("a").text).filter { $0 != "roots" }
                    guard let name = names?.first else { return }
                    made.withLock { $0 = name }
                    try? home.moveAway(home.path("a/" + name))
                    try? home.disk.renameFile(home.path("a/roots").text, to: home.path("a/" + name).text)
                }
            }
        }
        let error = #expect(throws: SystemError.self) {
            try home.calls.makeFolder(home.path("a/new").text, permissions: 0o700)
        }
        #expect(error?.description.contains("replaced by another folder") == true)
        let taken = home.path("a/" + made.withLock { $0 })
        #expect(try home.disk.status(at: taken.text).owner.user == 0)
        #expect(try home.text(of: taken.appending("file")) == "private")
    }
}
