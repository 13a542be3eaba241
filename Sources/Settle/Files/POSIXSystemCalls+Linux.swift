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

        package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
            guard fdatasync(file.number) == 0 else { throw .last }
        }
    }
#endif
