#if os(Linux)
    import Dispatch
    import Settle

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #elseif canImport(Bionic)
        import Bionic
    #endif

    /// Stands in for the kernel queue of Apple's platforms: inotify on the inode of one file or folder, with events as
    /// coarse as that queue's.
    final class InotifyVnodes: VnodeSystem {
        private let state = LockedValue((opened: 0, open: 0, limit: Int.max, denied: FilePath?.none))

        /// The number of vnodes opened so far, and of those open now.
        var openedCount: Int { state.withLock { $0.opened } }
        var openCount: Int { state.withLock { $0.open } }

        /// Limits how many can be open from now on, as if the process had no descriptors left.
        func limit(to count: Int) {
            state.withLock { $0.limit = count }
        }

        /// From now on a folder and what is in it can't be opened, as if it were outside of the process's sandbox.
        func deny(_ folder: FilePath) {
            state.withLock { $0.denied = folder }
        }

        func open(
            _ path: FilePath, _ kind: VnodeKind, on queue: DispatchQueue?, _ tell: @escaping @Sendable (Bool) -> Void
        ) throws(SystemError) -> any Vnode {
            guard state.withLock({ $0.open < $0.limit }) else { throw SystemError(EMFILE) }
            let denied = state.withLock { $0.denied }
            guard path != denied, path.folder != denied else { throw .notPermitted }
            let vnode = try InotifyVnode(path, kind, queue, tell) { [state] in state.withLock { $0.open -= 1 } }
            state.withLock {
                $0.opened += 1
                $0.open += 1
            }
            return vnode
        }
    }

    private final class InotifyVnode: Vnode {
        let identity: FileStatus.Identity
        // Proof: sources are objects of the dispatch library, which may be used from any thread.
        private nonisolated(unsafe) let source: any DispatchSourceRead
        private let closed: @Sendable () -> Void

        init(
            _ path: FilePath, _ kind: VnodeKind, _ queue: DispatchQueue?, _ tell: @escaping @Sendable (Bool) -> Void,
            closed: @escaping @Sendable () -> Void
        ) throws(SystemError) {
            // O_PATH, which Swift does not import; with O_NOFOLLOW it opens a link itself.
            let file = open(path.text, 0o10000000 | O_CLOEXEC | (kind == .folder ? O_DIRECTORY : O_NOFOLLOW))
            guard file >= 0 else { throw SystemError(errno) }
            // An open descriptor would keep the system from reporting that the file is gone.
            defer { close(file) }
            identity = try POSIXSystemCalls().status(of: FileDescriptor(file)).identity
            let inotify = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
            guard inotify >= 0 else { throw SystemError(errno) }
            let names = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
            let mask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | (kind == .folder ? names : IN_MODIFY))
            guard inotify_add_watch(inotify, "/proc/self/fd/\(file)", mask) >= 0 else {
                defer { close(inotify) }
                throw SystemError(errno)
            }
            self.closed = closed
            source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
            source.setEventHandler {
                if let isGone = Self.takeEvents(of: inotify) { tell(isGone) }
            }
            source.setCancelHandler { close(inotify) }
            source.activate()
        }

        func cancel() {
            source.cancel()
            closed()
        }

        /// - Returns: Whether the file is gone; `nil` if there was no event.
        private static func takeEvents(of inotify: Int32) -> Bool? {
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
                var isGone: Bool?
                while true {
                    let count = read(inotify, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return isGone }
                    var offset = 0
                    while offset + 16 <= count {
                        let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                        isGone = (isGone ?? false) || mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0
                        offset += 16 + Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                    }
                }
            }
        }
    }
#endif
