#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

#if os(Linux) || os(Android)
    extension POSIXSystemCalls {
        package func synchronize(_ file: FileDescriptor) throws(SystemError) {
            try check(fsync(file.number))
        }

        /// - Parameter folder: The folder in which relative paths begin.
        package func exchangeFiles(_ path: String, _ other: String, in folder: CInt) throws(SystemError) {
            guard let rename = Self.rename else { throw .unimplemented }
            let exchange: CUnsignedInt = 2  // `RENAME_EXCHANGE`
            try check(rename(folder, path, folder, other, exchange))
        }

        private typealias Rename =
            @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt

        /// Looked up by its name: Swift does not see it, because the C library declares it as a GNU extension.
        private static let rename: Rename? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

        /// Makes reads leave the access time unchanged. A journal is read after each write of another process, and each
        /// of these reads would change its inode.
        static func leaveAccessTime(_ number: CInt) {
            // `O_NOATIME`. Swift does not see it, because the C library declares it as a GNU extension.
            let withoutAccessTime: CInt = 0o1_000_000
            // Only the file's owner may set it. Nothing depends on it, so failure is ignored.
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | withoutAccessTime)
        }

        package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
            try check(fdatasync(file.number))
        }

        /// Reads `/proc/locks`, whose lines are such as `1: FLOCK  ADVISORY  WRITE 4711 fe:01:393229 0 EOF`.
        package func lockHolder(of file: FileStatus.Identity) -> Int32? {
            guard let locks = fopen("/proc/locks", "re") else { return nil }
            defer { fclose(locks) }
            let place = Self.place(of: file)
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, Int32(line.count), locks) != nil {
                let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
                guard words.count > 5, words[1] == "FLOCK", words[5] == place else { continue }
                // A process of another container has no number here.
                return Int32(words[4]).flatMap { $0 > 0 ? $0 : nil }
            }
            return nil
        }

        /// Returns a file as `/proc/locks` spells it: the device's two numbers in hexadecimal digits, and that of the
        /// file.
        private static func place(of file: FileStatus.Identity) -> String {
            let digits = [file.majorDevice, file.minorDevice].map { number in
                number < 16 ? "0" + String(number, radix: 16) : String(number, radix: 16)
            }
            return "\(digits[0]):\(digits[1]):\(file.file)"
        }
    }

    /// The two parts of the device's number, as the C library splits it.
    extension FileStatus.Identity {
        init(majorDevice: UInt64, minorDevice: UInt64, file: UInt64) {
            let device =
                (majorDevice & 0xFFF) << 8 | (majorDevice & ~0xFFF) << 32 | minorDevice & 0xFF
                | (minorDevice & ~0xFF) << 12
            self.init(device: device, file: file)
        }

        var majorDevice: UInt64 { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }
        var minorDevice: UInt64 { device & 0xFF | device >> 12 & ~0xFF & 0xFFFF_FFFF }
    }
#endif
