#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if os(Linux) || os(Android)
    extension POSIXSystemCalls {
        package func synchronize(_ file: FileDescriptor) throws(SystemError) {
            guard fsync(file.number) == 0 else { throw .last }
        }

        /// Has reads leave the time of the last access as it is. A journal is read after each write of another process, and each of
        /// these reads would change its inode.
        static func leaveAccessTime(_ number: CInt) {
            // `O_NOATIME`, which the C library shows Swift only as a GNU extension, that is, not at all.
            let withoutAccessTime: CInt = 0o1_000_000
            // Only the file's owner may ask for it, and nothing depends on it.
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | withoutAccessTime)
        }

        package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
            guard fdatasync(file.number) == 0 else { throw .last }
        }
    }
#endif
