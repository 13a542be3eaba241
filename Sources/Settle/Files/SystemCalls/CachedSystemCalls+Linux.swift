#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

#if os(Linux)
    extension CachedSystemCalls {
        /// Opens an entry of a folder.
        ///
        /// - Throws: ``SystemError/notFound`` if the system knows that there is no such entry; any other error if this
        ///   might take a disk to find out.
        static func open(
            _ name: String, in folder: FileDescriptor, _ access: Access
        ) throws(SystemError) -> FileDescriptor {
            let flags =
                switch access {
                case .reading: O_RDONLY | O_NONBLOCK | O_NOCTTY
                case .writing: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
                case .status: findOnly | O_NOFOLLOW
                }
            // `RESOLVE_NO_XDEV` excludes an entry on which another file system is mounted.
            return try open(name, in: folder.number, flags, resolution: 0x01)
        }

        /// Opens a folder on a disk of this machine by its absolute path, only to open entries in it.
        static func openFolder(_ path: String) throws(SystemError) -> Folder {
            let folder = try open(path, in: AT_FDCWD, findOnly | O_DIRECTORY, resolution: 0)
            guard let identity = identityOnDisk(folder) else {
                _ = close(folder.number)
                throw .notSupported
            }
            return (folder, identity)
        }

        /// `O_PATH`, which finds an entry without opening it. Swift does not see it, because it is a GNU extension of
        /// the C library.
        private static let findOnly: CInt = 0o10_000_000

        private static func open(
            _ path: String, in folder: CInt, _ flags: CInt, resolution: UInt64
        ) throws(SystemError) -> FileDescriptor {
            guard let call = Self.call else { throw .unimplemented }
            // `RESOLVE_NO_SYMLINKS` and `RESOLVE_CACHED`.
            let how = (flags: UInt64(flags | O_CLOEXEC), mode: UInt64(0), resolve: resolution | 0x04 | 0x20)
            let openat2 = 437
            let number = withUnsafeBytes(of: how) { how in
                how.baseAddress.map { call(openat2, folder, path, $0, how.count) } ?? -1
            }
            guard number >= 0 else { throw .last }
            return FileDescriptor(CInt(truncatingIfNeeded: number))
        }

        /// - Parameter offset: `nil` for the file's position, which moves on.
        static func read(
            _ file: FileDescriptor, at offset: Int64?, into buffer: UnsafeMutableRawBufferPointer
        ) throws(SystemError) -> Int {
            guard let preadv2 = Self.preadv2 else { throw .unimplemented }
            let onlyCached: CInt = 8  // `RWF_NOWAIT`
            var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
            let count = preadv2(file.number, &part, 1, off_t(offset ?? -1), onlyCached)
            guard count >= 0 else { throw .last }
            return count
        }

        /// Returns the identity of a folder, if that is on a file system with a block device. All others have 0 as the
        /// major number of their device, among them those of other machines.
        ///
        /// That includes file systems of a program (`fuseblk`, such as `ntfs-3g`) and those that a cluster shares
        /// (OCFS2, GFS2), where opening a file that the system knows may still wait, for the program or for another
        /// machine.
        private static func identityOnDisk(_ folder: FileDescriptor) -> FileStatus.Identity? {
            guard let statx = Self.statx else { return nil }
            // `AT_EMPTY_PATH`, `AT_STATX_DONT_SYNC` and `STATX_INO`
            let (empty, unsynced, inode): (CInt, CInt, CUnsignedInt) = (0x1000, 0x4000, 0x100)
            return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
                guard let status = buffer.baseAddress,
                    statx(folder.number, "", empty | unsynced, inode, status) == 0
                else { return nil }
                let major = buffer.load(fromByteOffset: 0x88, as: UInt32.self)
                let minor = buffer.load(fromByteOffset: 0x8C, as: UInt32.self)
                guard major != 0 else { return nil }
                return FileStatus.Identity(
                    majorDevice: UInt64(major), minorDevice: UInt64(minor),
                    file: buffer.load(fromByteOffset: 0x20, as: UInt64.self))
            }
        }

        // Looked up by their names: Swift does not see them, because the C library declares them as GNU extensions, or
        // with any number of arguments. It has no function for `openat2`. Where one is missing, or the kernel does not
        // know the call, everything is read in the usual way.

        /// Returns whether a kernel has `RESOLVE_CACHED`, by its release, such as `6.1.0-13-amd64`.
        ///
        /// A filter of system calls that is older than `openat2` may end the process for trying it, so kernels that can
        /// only refuse the call are not asked.
        static func hasCachedLookups(release: String) -> Bool {
            let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
            return !numbers.lexicographicallyPrecedes([5, 12])
        }

        private static var systemRelease: String {
            var system = utsname()
            guard uname(&system) == 0 else { return "" }
            return withUnsafeBytes(of: system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }

        private typealias Call =
            @convention(c) (Int, CInt, UnsafePointer<CChar>, UnsafeRawPointer, Int) -> Int
        private typealias ReadParts =
            @convention(c) (CInt, UnsafePointer<iovec>, CInt, off_t, CInt) -> Int
        private typealias ReadStatus =
            @convention(c) (CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer) -> CInt

        private static let call: Call? =
            hasCachedLookups(release: systemRelease)
            ? dlsym(nil, "syscall").map { unsafeBitCast($0, to: Call.self) } : nil
        private static let preadv2: ReadParts? = dlsym(nil, "preadv2").map { unsafeBitCast($0, to: ReadParts.self) }
        private static let statx: ReadStatus? = dlsym(nil, "statx").map { unsafeBitCast($0, to: ReadStatus.self) }
    }
#else
    extension CachedSystemCalls {
        // These systems have no calls that show whether another one would wait.

        static func open(
            _ name: String, in folder: FileDescriptor, _ access: Access
        ) throws(SystemError) -> FileDescriptor {
            throw .unimplemented
        }

        static func openFolder(_ path: String) throws(SystemError) -> Folder { throw .unimplemented }

        static func read(
            _ file: FileDescriptor, at offset: Int64?, into buffer: UnsafeMutableRawBufferPointer
        ) throws(SystemError) -> Int {
            throw .unimplemented
        }
    }
#endif
