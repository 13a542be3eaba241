package import Settle

/// System calls on a disk in memory whose power can fail.
///
/// It has hard and symbolic links, advisory locks, times that advance with every change, and, if asked, an end. Processes
/// that share it are storages that were given the same disk.
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
        /// The disk after each part of the call that a crash of the process may leave.
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

    /// An empty disk with nothing but its root folder.
    package convenience init() {
        self.init(DiskImage())
    }

    init(_ image: DiskImage) {
        state = LockedValue(State(image: image))
    }

    // MARK: Crashes

    /// The disks that may be found after a loss of power at this moment, each once.
    ///
    /// - Parameters:
    ///   - limit: How many there are at most; which ones, if there are more, is up to the seed.
    ///   - seed: For what is chosen at random.
    package func disksAfterLossOfPower(limit: Int = 200, seed: UInt64 = 1) -> [SimulatedDisk] {
        state.withLock { $0.image }.afterLossOfPower(limit: limit, seed: seed).map { SimulatedDisk($0.image) }
    }

    /// The disk as the next process finds it if this one ends now: everything is there, and nothing is locked or open.
    package func diskAfterProcessCrash() -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.image })
    }

    /// Has a function called before each call that changes the disk, until it is set to `nil`. It must not call the disk.
    func observe(_ observer: (@Sendable (Moment) -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    /// How many files are open, by whomever.
    package var openFileCount: Int { state.withLock { $0.openFiles.count } }

    var image: DiskImage { state.withLock { $0.image } }

    /// Makes a folder, and those that it is in, on stable storage: as if they had always been there. No call makes them, so
    /// there is no moment before it, and what else has not been synced stays so.
    package func makeStableFolder(_ path: String) {
        state.withLock { $0.image.makeStableFolder(path) }
    }

    // MARK: Trouble

    /// Sets how many bytes all files together may have, or that there is no limit. What has no name and is not open any more
    /// does not count.
    package func setCapacity(_ bytes: Int?) {
        state.withLock { $0.capacity = bytes }
    }

    /// Makes the next sync of a file fail. The bytes that it should have written never reach the disk after that, although
    /// later syncs of the file report success.
    package func failNextSync() {
        state.withLock { $0.failingSyncs += 1 }
    }

    /// Makes the unsynced bytes of all files unable to reach the disk ever, although later syncs report success: what
    /// a failed sync leaves behind.
    package func poisonUnsyncedFiles() {
        state.withLock { state in
            for (number, node) in state.image.nodes where node.isUnsynced {
                state.image.update(number) { $0.isPoisoned = true }
            }
        }
    }

    /// Makes a symbolic link, as a person might.
    package func makeSymbolicLink(_ path: String, to target: String) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            _ = try state.image.add(DiskNode(.symbolicLink(target: target), permissions: 0o777), at: path)
        }
    }
}

extension SimulatedDisk.State {
    /// How many more bytes fit.
    var room: Int {
        // Half, so that it can be added to.
        guard let capacity else { return .max / 2 }
        var used = Set(openFiles.values.map(\.node))
        for node in image.nodes.values { used.formUnion(node.entries.values) }
        return capacity - used.reduce(0) { $0 + (image.nodes[$1]?.contents.count ?? 0) }
    }

    /// Tells the observer that a call is about to change the disk.
    ///
    /// - Parameter parts: The disk after each part of the call that a crash of the process may leave.
    func announce(_ kind: SystemCall.Kind, _ path: String, parts: () -> [DiskImage] = { [] }) {
        guard let observer else { return }
        observer(SimulatedDisk.Moment(call: SystemCall(kind: kind, path: path), image: image, parts: parts()))
    }

    /// One of the names of a node, to be shown.
    func path(of number: Int) -> String {
        image.nodes[number]?.isFolder == true && number == DiskImage.root
            ? "/" : image.path(of: number) ?? "a file without a name"
    }
}
