import Foundation

/// A file system on a loop device, whose blocks are a file.
struct LoopDisk: ~Copyable {
    enum FileSystem: Sendable, CaseIterable {
        case ext4, ext4Writeback, xfs, btrfs

        var name: String {
            switch self {
            case .ext4: "ext4"
            case .ext4Writeback: "ext4 without ordered data"
            case .xfs: "xfs"
            case .btrfs: "btrfs"
            }
        }

        /// About the least that it can be made with.
        var mebibytes: Int {
            switch self {
            case .ext4, .ext4Writeback: 32
            case .xfs: 320
            case .btrfs: 128
            }
        }

        fileprivate var maker: [String] {
            switch self {
            case .ext4, .ext4Writeback: ["mkfs.ext4", "-q", "-F", "-b", "4096"]
            case .xfs: ["mkfs.xfs", "-q", "-s", "size=4096"]
            case .btrfs: ["mkfs.btrfs", "-q"]
            }
        }

        fileprivate var options: String {
            switch self {
            case .ext4, .btrfs: "defaults"
            case .ext4Writeback: "data=writeback"
            // Otherwise a copy is refused while the original is there.
            case .xfs: "nouuid"
            }
        }
    }

    let folder: String
    private let image: String
    private let device: String

    /// - Throws: `TrialError` if this user may not mount, or the system lacks the tools.
    init(making system: FileSystem, in image: String, at folder: String) throws {
        guard SystemTool.run(["truncate", "-s", "\(system.mebibytes)M", image]), SystemTool.run(system.maker + [image])
        else { throw TrialError("making \(system.name) needs its tools") }
        try self.init(mounting: system, in: image, at: folder)
    }

    init(mounting system: FileSystem, in image: String, at folder: String) throws {
        guard let device = SystemTool.output(of: ["losetup", "--find", "--show", "--sector-size", "4096", image]) else {
            throw TrialError("loop devices need root")
        }
        // A device that has no room for all of a larger request writes a part of it and says that all is well.
        let limit = "/sys/block/\(URL(filePath: device).lastPathComponent)/queue/max_sectors_kb"
        guard (try? Data("4".utf8).write(to: URL(filePath: limit))) != nil else {
            _ = SystemTool.run(["losetup", "--detach", device])
            throw TrialError("the requests of loop devices can't be limited here")
        }
        guard SystemTool.run(["mount", "-o", system.options, device, folder]) else {
            _ = SystemTool.run(["losetup", "--detach", device])
            throw TrialError("mounting \(system.name) needs root")
        }
        (self.image, self.folder, self.device) = (image, folder, device)
    }

    deinit {
        _ = SystemTool.run(["umount", "-l", folder])
        _ = SystemTool.run(["losetup", "--detach", device])
    }

    /// Copies the blocks as they are at one moment: twice, until nothing has been written in between.
    func copy(to path: String) throws {
        for _ in 0..<100 {
            guard SystemTool.run(["cp", "--sparse=always", image, path]) else {
                throw TrialError("a disk could not be copied")
            }
            if SystemTool.run(["cmp", "-s", image, path]) { return }
        }
        throw TrialError("a disk does not become idle")
    }
}
