#if canImport(Darwin)
    import Darwin
    package import Dispatch

    /// The kernel's event queue for open files and folders.
    package struct KernelQueue: VnodeSystem {
        package init() {}

        package func open(
            _ path: FilePath, _ kind: VnodeKind, on queue: DispatchQueue?,
            _ tell: @escaping @Sendable (_ isGone: Bool) -> Void
        ) throws(SystemError) -> any Vnode {
            let flags = O_EVTONLY | O_CLOEXEC | O_NONBLOCK | (kind == .folder ? O_DIRECTORY : O_SYMLINK)
            let descriptor = Darwin.open(path.text, flags)
            guard descriptor >= 0 else { throw .last }
            do throws(SystemError) {
                let identity = try POSIXSystemCalls().status(of: FileDescriptor(descriptor)).identity
                return OpenVnode(descriptor, identity, kind, queue, tell)
            } catch {
                close(descriptor)
                throw error
            }
        }
    }

    private final class OpenVnode: Vnode {
        let identity: FileStatus.Identity
        // Proof: sources are objects of the dispatch library, which may be used from any thread.
        private nonisolated(unsafe) let source: any DispatchSourceFileSystemObject

        init(
            _ descriptor: Int32, _ identity: FileStatus.Identity, _ kind: VnodeKind, _ queue: DispatchQueue?,
            _ tell: @escaping @Sendable (Bool) -> Void
        ) {
            self.identity = identity
            let gone: DispatchSource.FileSystemEvent = [.delete, .rename, .revoke]
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: gone.union(kind == .folder ? .write : [.write, .extend]),
                queue: queue)
            self.source = source
            // Weak, because the handler may run concurrently with a cancel that releases the source.
            source.setEventHandler { [weak source] in
                guard let source else { return }
                tell(!source.data.isDisjoint(with: gone))
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }

        func cancel() {
            source.cancel()
        }
    }
#endif
