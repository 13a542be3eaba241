#if os(Linux) || os(Android)
    /// Recognizes file systems that other machines change without this kernel's knowledge, and so without events.
    package enum RemoteFileSystem {
        private static let types: Set<Substring> = [
            "9p", "afs", "ceph", "cifs", "coda", "fuse", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3",
            "smbfs",
            "vboxsf", "virtiofs", "vmhgfs",
        ]

        static func contains(_ folder: FilePath) -> Bool {
            // The dot makes a link to a folder count as the folder.
            let calls = POSIXSystemCalls()
            guard let status = try? calls.status(at: folder.appending(".").text) else { return false }
            let device = Device(status.identity.device)
            // Only file systems without a block device have major number 0, so most local ones are ruled out here.
            guard device.major == 0 else { return false }
            let operations = FileOperations(calls)
            let table = FilePath("/proc/self/mountinfo")
            guard let file = try? operations.open(table, .read) else { return false }
            defer { try? operations.close(file, at: table) }
            guard let bytes = try? operations.readAll(file, at: table, limit: 4 << 20) else { return false }
            return isRemote(device, in: String(decoding: bytes, as: UTF8.self))
        }

        /// - Parameter mounts: Lines such as `36 35 0:98 /sub /mnt rw shared:1 - nfs4 server:/path rw`.
        package static func isRemote(_ device: Device, in mounts: String) -> Bool {
            let number = "\(device.major):\(device.minor)"
            for line in mounts.split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields.count > 3, fields[2] == number, let dash = fields.firstIndex(of: "-") else { continue }
                guard dash + 1 < fields.count else { continue }
                // `fuse.sshfs` counts as `fuse`. `fuseblk` is a local disk.
                return types.contains(fields[dash + 1].prefix { $0 != "." })
            }
            return false
        }

        /// A device number, split as by the C library.
        package struct Device: Sendable {
            package let major: UInt64
            package let minor: UInt64

            package init(_ number: UInt64) {
                major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
                minor = number & 0xFF | (number >> 12) & ~0xFF & 0xFFFF_FFFF
            }
        }
    }
#endif
