#if canImport(Darwin)
    import Darwin

    extension POSIXSystemCalls {
        package func synchronize(_ file: FileDescriptor) throws(SystemError) {
            // Here `fsync` stops at the device's own cache; only this call goes past it.
            if fcntl(file.number, F_FULLFSYNC) == 0 { return }
            // Network file systems lack it, and offer only `fsync`.
            let unavailable: [SystemError] = [.notSupported, .invalidArgument, SystemError(ENOTTY)]
            let error = SystemError.last
            guard unavailable.contains(error) else { throw error }
            try check(fsync(file.number))
        }

        /// - Parameter folder: The folder in which relative paths begin.
        package func exchangeFiles(_ path: String, _ other: String, in folder: CInt) throws(SystemError) {
            try check(renameatx_np(folder, path, folder, other, UInt32(RENAME_SWAP)))
        }

        package func synchronizeData(_ file: FileDescriptor) throws(SystemError) {
            try synchronize(file)
        }
    }
#endif
