#if canImport(Darwin)
    import Darwin
    package import Dispatch
    import Synchronization

    /// Folder events from the kernel's queue. It tells of a folder that names in it have changed, but not which, and of a
    /// file's bytes only through a descriptor of the file.
    package final class KernelQueue: FolderEventSource {
        private struct Folder {
            var path: FilePath
            var names: Set<String>
            var folder: any DispatchSourceFileSystemObject
            var files: [any DispatchSourceFileSystemObject] = []
        }

        private struct State {
            var deliver: (queue: DispatchQueue, body: @Sendable ([FolderEvent]) -> Void)?
            var folders: [Int: Folder] = [:]
            var numbers: [FilePath: Int] = [:]
            var nextNumber = 0
        }

        private let state = Mutex(State())

        package init() {}

        deinit {
            state.withLock { state in
                for folder in state.folders.values { Self.cancel(folder) }
            }
        }

        package var tellsNames: Bool { false }

        package func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void) {
            state.withLock { $0.deliver = (queue, deliver) }
        }

        package func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int {
            try state.withLock { (state) throws(SystemError) in
                let descriptor = open(folder.text, O_EVTONLY | O_DIRECTORY | O_CLOEXEC)
                guard descriptor >= 0 else { throw .last }
                let number: Int
                if let existing = state.numbers[folder] {
                    number = existing
                } else {
                    state.nextNumber += 1
                    number = state.nextNumber
                }
                // The same folder may be watched for its files and for a folder in it that is missing.
                let names = files.union(state.folders[number]?.names ?? [])
                // Always anew: the path may lead to another folder, and the names to other files.
                if let old = state.folders[number] { Self.cancel(old) }
                let source = self.source(descriptor, number, [.write], isFolder: true, state)
                var watched = Folder(path: folder, names: names, folder: source)
                for name in names {
                    let file = open(folder.appending(name).text, O_EVTONLY | O_SYMLINK | O_CLOEXEC)
                    guard file >= 0 else { continue }
                    watched.files.append(self.source(file, number, [.write, .extend], isFolder: false, state))
                }
                state.numbers[folder] = number
                state.folders[number] = watched
                return number
            }
        }

        package func remove(_ number: Int) {
            state.withLock { state in
                guard let folder = state.folders.removeValue(forKey: number) else { return }
                state.numbers[folder.path] = nil
                Self.cancel(folder)
            }
        }

        private func source(
            _ descriptor: Int32, _ number: Int, _ mask: DispatchSource.FileSystemEvent, isFolder: Bool, _ state: State
        ) -> any DispatchSourceFileSystemObject {
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: mask.union([.delete, .rename, .revoke]),
                queue: state.deliver?.queue)
            let deliver = state.deliver?.body
            source.setEventHandler { [unowned source] in
                let isGone = isFolder && !source.data.isDisjoint(with: [.delete, .rename, .revoke])
                deliver?([FolderEvent(folder: number, isGone ? .gone : .unknown)])
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            return source
        }

        private static func cancel(_ folder: Folder) {
            folder.folder.cancel()
            for file in folder.files { file.cancel() }
        }
    }
#endif
