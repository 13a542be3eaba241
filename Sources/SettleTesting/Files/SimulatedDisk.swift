package import Settle

/// System calls on an in-memory disk that can lose power.
///
/// It has hard and symbolic links, advisory locks, times that advance with every change and, on request, a limited
/// capacity. Storages that are given the same disk act as separate processes.
package final class SimulatedDisk: SystemCalls {
    struct OpenFile: Sendable {
        var node: Int
        var mode: OpenMode
        var offset = 0
        var isLocked = false
    }

    /// The moment immediately before a call that changes the disk.
    struct Moment: Sendable {
        var call: SystemCall
        var image: DiskImage
        /// The disk after each part of the call that may be complete when the process crashes.
        var parts: [DiskImage] = []
    }

    struct State: Sendable {
        var image: DiskImage
        var openFiles: [FileDescriptor: OpenFile] = [:]
        var nextDescriptor: Int32 = 100
        var capacity: Int?
        var failingSyncs = 0
        var observer: (@Sendable (Moment) -> Void)?
    }

    let state: LockedValue<State>

    /// Creates an empty disk with only its root folder.
    package convenience init() {
        self.init(DiskImage())
    }

    init(_ image: DiskImage) {
        state = LockedValue(State(image: image))
    }

    // MARK: Crashes

    /// Returns the distinct disks that may be found after a loss of power at this moment.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of disks. If there are more, the seed decides which ones are returned.
    ///   - seed: The seed of all random choices.
    package func disksAfterLossOfPower(limit: Int = 200, seed: UInt64 = 1) -> [SimulatedDisk] {
        state.withLock { $0.image }.afterLossOfPower(limit: limit, seed: seed).map { SimulatedDisk($0.image) }
    }

    /// Returns the disk as the next process finds it if this one ends now: everything is there, and nothing is locked
    /// or open.
    package func diskAfterProcessCrash() -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.image })
    }

    /// Sets a function to call before each call that changes the disk; `nil` removes it. The function must not call the
    /// disk.
    func observe(_ observer: (@Sendable (Moment) -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    /// The number of open files in all processes.
    package var openFileCount: Int { state.withLock { $0.openFiles.count } }

    var image: DiskImage { state.withLock { $0.image } }

    /// Makes a folder and its parents on stable storage, as if they had always existed. This is not a system call, so
    /// no moment precedes it, and everything else unsynced stays unsynced.
    package func makeStableFolder(_ path: String) {
        state.withLock { $0.image.makeStableFolder(path) }
    }

    // MARK: Faults

    /// Sets the total capacity of all files in bytes; `nil` removes the limit. Closed files without a name do not
    /// count.
    package func setCapacity(_ bytes: Int?) {
        state.withLock { $0.capacity = bytes }
    }

    /// Makes the next sync of a file fail. The bytes that it should have written then never reach the disk, although
    /// later syncs of the file report success.
    package func failNextSync() {
        state.withLock { $0.failingSyncs += 1 }
    }

    /// Keeps the unsynced bytes of all files from ever reaching the disk, although later syncs report success: the
    /// state after a failed sync.
    package func poisonUnsyncedFiles() {
        state.withLock { state in
            for (number, node) in state.image.nodes where node.isUnsynced {
                state.image.update(number) { $0.isPoisoned = true }
            }
        }
    }

    /// Makes a symbolic link, as a user might.
    package func makeSymbolicLink(_ path: String, to target: String) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            _ = try state.image.add(DiskNode(.symbolicLink(target: target), permissions: 0o777), at: path)
        }
    }
}

extension SimulatedDisk.State {
    /// The number of further bytes that fit.
    var room: Int {
        // Half, so that adding to it does not overflow.
        guard let capacity else { return .max / 2 }
        var used = Set(openFiles.values.map(\.node))
        for node in image.nodes.values { used.formUnion(node.entries.values) }
        return capacity - used.reduce(0) { $0 + (image.nodes[$1]?.contents.count ?? 0) }
    }

    /// Notifies the observer that a call is about to change the disk.
    ///
    /// - Parameter parts: The disk after each part of the call that may be complete when the process crashes.
    func announce(_ kind: SystemCall.Kind, _ path: String, parts: () -> [DiskImage] = { [] }) {
        guard let observer else { return }
        observer(SimulatedDisk.Moment(call: SystemCall(kind: kind, path: path), image: image, parts: parts()))
    }

    /// Returns one of a node's names, for display.
    func path(of number: Int) -> String {
        image.nodes[number]?.isFolder == true && number == DiskImage.root
            ? "/" : image.path(of: number) ?? "a file without a name"
    }
}
