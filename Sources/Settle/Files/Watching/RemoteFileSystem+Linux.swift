#if os(Linux) || os(Android)
    /// Recognizes file systems that other machines change without this kernel's knowledge, and so without events.
    package enum RemoteFileSystem {
        private static let types: Set<Substring> = [
            "9p", "afs", "ceph", "cifs", "coda", "fuse", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3",
            "smbfs",
            "vboxsf", "virtiofs", "vmhgfs",
        ]

        /// Returns whether a folder, or its nearest existing ancestor, is on such a file system. Waits for its machine.
        static func contains(_ folder: FilePath) -> Bool {
            let calls = POSIXSystemCalls()
            guard let folder = identity(of: folder, calls) else { return false }
            // Only file systems without a block device have major number 0, so most local ones are ruled out here.
            guard folder.majorDevice == 0 else { return false }
            let operations = FileOperations(calls)
            let table = FilePath("/proc/self/mountinfo")
            guard let file = try? operations.open(table, .read) else { return false }
            defer { try? operations.close(file, at: table) }
            guard let bytes = try? operations.readAll(file, at: table, limit: 4 << 20) else { return false }
            return isRemote(folder, in: String(decoding: bytes, as: UTF8.self))
        }

        /// Returns the identity of a folder, or of its nearest existing ancestor.
        private static func identity(of folder: FilePath, _ calls: POSIXSystemCalls) -> FileStatus.Identity? {
            var folder = folder
            while true {
                do {
                    // The dot makes a link to a folder count as the folder.
                    return try calls.status(at: folder.appending(".").text).identity
                } catch {
                    guard error == .notFound || error == .notFolder, folder.folder != folder else { return nil }
                    folder = folder.folder
                }
            }
        }

        /// - Parameter mounts: Lines such as `36 35 0:98 /sub /mnt rw shared:1 - nfs4 server:/path rw`.
        package static func isRemote(_ folder: FileStatus.Identity, in mounts: String) -> Bool {
            let number = "\(folder.majorDevice):\(folder.minorDevice)".utf8
            // By bytes: splitting by characters takes ten times as long, and each store that opens does it.
            for line in mounts.utf8.split(separator: UInt8(ascii: "\n")) {
                let fields = line.split(separator: UInt8(ascii: " "))
                guard fields.count > 3, fields[2].elementsEqual(number),
                    let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) })
                else { continue }
                guard dash + 1 < fields.count else { continue }
                // `fuse.sshfs` counts as `fuse`. `fuseblk` is a local disk.
                return types.contains(Substring(fields[dash + 1].prefix { $0 != UInt8(ascii: ".") }))
            }
            return false
        }
    }
#endif
