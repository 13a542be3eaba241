import Foundation

/// A small file system in memory.
struct SmallDisk: ~Copyable {
    let folder: String

    /// - Throws: `TrialError` if this user may not mount, or the system has no such file system.
    init(at folder: String, kibibytes: Int) throws {
        #if os(Linux)
            guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k,mode=700", "settle-trials", folder) else {
                throw TrialError("mounting a small disk needs root")
            }
            self.folder = folder
        #else
            throw TrialError("tmpfs exists only on Linux")
        #endif
    }

    deinit {
        _ = Self.run("umount", "-l", folder)
    }

    private var ballast: URL { URL(filePath: folder).appending(path: "ballast") }

    /// Writes until there is no room left.
    func fill() throws {
        _ = FileManager.default.createFile(atPath: ballast.path, contents: nil)
        let file = try FileHandle(forWritingTo: ballast)
        defer { try? file.close() }
        let page = Data(count: 4_096)
        while (try? file.write(contentsOf: page)) != nil {}
    }

    /// Removes what `fill` wrote, and enlarges the disk, because the values may have outgrown it.
    func makeRoom() throws {
        try FileManager.default.removeItem(at: ballast)
        _ = Self.run("mount", "-o", "remount,size=8m", folder)
    }

    private static func run(_ arguments: String...) -> Bool { SystemTool.run(arguments) }
}
