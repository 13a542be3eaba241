package import Dispatch

/// Folder events derived from the events of single files and folders. A folder's event means that names in it have
/// changed, but not which, and nothing about the bytes of its files, so each file of interest is opened too.
///
/// A process may have only 256 descriptors. So an open file is kept as long as its path leads to it, and running out of
/// descriptors is an error, after which the folder is polled.
package final class VnodeEventSource: FolderEventSource {
    fileprivate struct Open {
        let vnode: any Vnode
        let number: Int
        /// It has been removed or renamed: another file may have its identity now.
        var isGone = false
    }

    fileprivate struct Folder {
        let path: FilePath
        var names: Set<String>
        var itself: Open
        var files: [String: Open]

        var all: [Open] { [itself] + files.values }
    }

    fileprivate struct State {
        var deliver: (queue: DispatchQueue, body: @Sendable ([FolderEvent]) -> Void)?
        var folders: [Int: Folder] = [:]
        var numbers: [FilePath: Int] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let system: any VnodeSystem
    private let calls: any SystemCalls
    private let state = LockedValue(State())

    package init(_ system: any VnodeSystem, calls: any SystemCalls = POSIXSystemCalls()) {
        self.system = system
        self.calls = calls
    }

    deinit {
        for folder in state.withLock({ $0.folders.values }) { Self.cancel(folder.all) }
    }

    package var tellsNames: Bool { false }

    package func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void) {
        state.withLock { $0.deliver = (queue, deliver) }
    }

    package func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int {
        try state.withLock { (state) throws(SystemError) in
            let number = state.numbers[folder] ?? state.nextNumber()
            let old = state.folders[number]
            var opened: [Open] = []
            do throws(SystemError) {
                // A folder that stands in for a missing one is added without files; keep those of other watches.
                let names = files.isEmpty ? old?.names ?? [] : files
                // Open the folder first: a file replaced after its own check then causes an event.
                let itself = try open(folder, .folder, unless: old?.itself, of: number, &state, &opened)
                var current = Folder(path: folder, names: names, itself: itself, files: [:])
                for name in names {
                    current.files[name] = try openIfThere(
                        folder.appending(name), unless: old?.files[name], of: number, &state, &opened)
                }
                let kept = Set(current.all.map(\.number))
                Self.cancel(old?.all.filter { !kept.contains($0.number) } ?? [])
                state.numbers[folder] = number
                state.folders[number] = current
                return number
            } catch {
                Self.cancel(opened)
                throw error
            }
        }
    }

    package func remove(_ number: Int) {
        let folder = state.withLock { state in
            let folder = state.folders.removeValue(forKey: number)
            if let folder { state.numbers[folder.path] = nil }
            return folder
        }
        Self.cancel(folder?.all ?? [])
    }

    private func openIfThere(
        _ file: FilePath, unless old: Open?, of folder: Int, _ state: inout State, _ opened: inout [Open]
    ) throws(SystemError) -> Open? {
        do throws(SystemError) {
            return try open(file, .file, unless: old, of: folder, &state, &opened)
        } catch {
            guard error == .notFound || error == .notFolder else { throw error }
            return nil
        }
    }

    /// Returns the open file at a path, or opens it.
    private func open(
        _ path: FilePath, _ kind: VnodeKind, unless old: Open?, of folder: Int, _ state: inout State,
        _ opened: inout [Open]
    ) throws(SystemError) -> Open {
        // The dot makes a link to a folder count as the folder.
        let status = try calls.status(at: kind == .folder ? path.appending(".").text : path.text)
        // The identity is unique while the file is open, so equal means unchanged.
        if let old, !old.isGone, old.vnode.identity == status.identity { return old }
        let number = state.nextNumber()
        let vnode = try system.open(path, kind, on: state.deliver?.queue) { [weak self] isGone in
            self?.take(number, of: folder, isGone: isGone)
        }
        let new = Open(vnode: vnode, number: number)
        opened.append(new)
        return new
    }

    private func take(_ number: Int, of folder: Int, isGone: Bool) {
        let (kind, deliver) = state.withLock { state in
            (state.folders[folder]?.take(number, isGone: isGone), state.deliver?.body)
        }
        if let kind { deliver?([FolderEvent(folder: folder, kind)]) }
    }

    private static func cancel(_ open: [Open]) {
        for open in open { open.vnode.cancel() }
    }
}

extension VnodeEventSource.Folder {
    /// - Returns: `nil` for an event that was under way when its file was replaced by another.
    fileprivate mutating func take(_ number: Int, isGone: Bool) -> FolderEvent.Kind? {
        if itself.number == number {
            if isGone { itself.isGone = true }
            return isGone ? .gone : .unknown
        }
        guard let name = files.first(where: { $0.value.number == number })?.key else { return nil }
        if isGone { files[name]?.isGone = true }
        return .unknown
    }
}
