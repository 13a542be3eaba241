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

        /// Makes reads leave the access time unchanged. A journal is read after each write of another process, and each
        /// of these reads would change its inode.
        static func leaveAccessTime(_ number: CInt) {
            // `O_NOATIME`. Swift does not see it, because the C library declares it as a GNU extension.
            let withoutAccessTime: CInt = 0o1_000_000
            // Only the file's owner may set it. Nothing depends on it, so failure is ignored.
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | withoutAccessTime)
        }

        package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
            guard fdatasync(file.number) == 0 else { throw .last }
        }
    }
#endif
