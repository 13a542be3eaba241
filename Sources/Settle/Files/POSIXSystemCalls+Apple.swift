#if canImport(Darwin)
    import Darwin

    extension POSIXSystemCalls {
        package func synchronize(_ file: FileDescriptor) throws(SystemError) {
            // `fsync` stops at the device's own cache here; only this call goes past it.
            if fcntl(file.number, F_FULLFSYNC) == 0 { return }
            // Network file systems do not have it, and their `fsync` is all that they offer.
            let unavailable: [SystemError] = [.notSupported, .invalidArgument, SystemError(ENOTTY)]
            let error = SystemError.last
            guard unavailable.contains(error) else { throw error }
            guard fsync(file.number) == 0 else { throw .last }
        }

        package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
            try synchronize(file)
        }
    }
#endif
