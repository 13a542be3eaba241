#if os(Linux) || os(Android)
    package import Dispatch

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #elseif canImport(Bionic)
        import Bionic
    #endif

    /// Folder events from one inotify descriptor.
    ///
    /// The descriptor is made with the first watch and kept until deinitialization, because closing one takes 12 to 16
    /// ms, and a user may have no more than 128 by default.
    ///
    /// A write has the name under which the writer has opened the file, even if that name is gone and the file has kept
    /// another one. So a watched file must be opened by the name that it keeps, or be renamed to it.
    ///
    /// Changes of permissions and times (`IN_ATTRIB`) are left out: each new link to a file would be one.
    ///
    /// A thread waits for the events and delivers them itself. A source of the dispatch library would deliver them
    /// through two more threads.
    package final class Inotify: FolderEventSource {
        private struct State: Sendable {
            var deliver: (queue: DispatchQueue, body: @Sendable ([FolderEvent]) -> Void)?
            var reader: Reader?
        }

        private let state = LockedValue(State())
        private let pacing = LockedValue(EventPacing())

        package init() {}

        deinit {
            state.withLock { $0.reader?.end() }
        }

        package var tellsNames: Bool { true }

        package func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void) {
            state.withLock { $0.deliver = (queue, deliver) }
        }

        package func isRemote(_ folder: FilePath) -> Bool { RemoteFileSystem.contains(folder) }

        package func foundForeignChange() { pacing.withLock { $0.foundForeignChange() } }

        package func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int {
            let descriptor = try state.withLock { (state) throws(SystemError) in try self.descriptor(of: &state) }
            // One folder may be watched by two paths for two purposes, so the mask only ever grows.
            let number = inotify_add_watch(descriptor, folder.text, UInt32(IN_MASK_ADD) | Self.mask)
            guard number >= 0 else { throw .last }
            return Int(number)
        }

        package func remove(_ number: Int) {
            guard let descriptor = state.withLock({ $0.reader?.descriptor }) else { return }
            // Fails if the folder is gone, and its watch with it.
            _ = inotify_rm_watch(descriptor, Int32(number))
        }

        private func descriptor(of state: inout State) throws(SystemError) -> Int32 {
            if let reader = state.reader { return reader.descriptor }
            let reader = try Reader()
            if let deliver = state.deliver { reader.begin(on: deliver.queue, at: pacing, deliver.body) }
            state.reader = reader
            return reader.descriptor
        }

        private static let mask = UInt32(
            IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF
                | IN_MOVE_SELF
                | IN_ONLYDIR)

        fileprivate static func parse(_ bytes: UnsafeRawBufferPointer) -> [FolderEvent] {
            var events: [FolderEvent] = []
            var offset = 0
            let headerSize = 16
            while offset + headerSize <= bytes.count {
                let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
                let start = offset + headerSize
                guard start + length <= bytes.count else { break }
                // Names are padded with zeros.
                let name = String(decoding: bytes[start..<start + length].prefix { $0 != 0 }, as: UTF8.self)
                events.append(FolderEvent(folder: Int(number), kind(mask, name)))
                offset = start + length
            }
            return events
        }

        private static func kind(_ mask: UInt32, _ name: String) -> FolderEvent.Kind {
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .overflow }
            if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { return .gone }
            return mask & UInt32(IN_MODIFY) != 0 ? .contents(name: name) : .replaced(name: name)
        }
    }

    /// The descriptor with the thread that reads it.
    private struct Reader: Sendable {
        let descriptor: Int32
        /// A pair of sockets: when one is closed, the thread notices it on the other, and ends.
        private let (ended, ending): (Int32, Int32)

        init() throws(SystemError) {
            var pair: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Self.socketType, 0, &pair) == 0 else { throw .last }
            descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
            (ended, ending) = (pair[0], pair[1])
            guard descriptor < 0 else { return }
            let error = SystemError.last
            for socket in pair { close(socket) }
            throw error
        }

        private static var socketType: Int32 {
            #if canImport(Glibc)
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                SOCK_STREAM | SOCK_CLOEXEC
            #endif
        }

        /// Starts the thread, which stays until ``end()``.
        ///
        /// - Parameters:
        ///   - queue: Delivers the events: on the reading thread, unless another one is at work there.
        ///   - pacing: Decides when the thread pauses.
        func begin(
            on queue: DispatchQueue, at pacing: LockedValue<EventPacing>,
            _ deliver: @escaping @Sendable ([FolderEvent]) -> Void
        ) {
            // A queue of its own has a thread of its own.
            DispatchQueue(label: "settle.files.events").async {
                let isBatch = Self.changePolicy(from: SCHED_OTHER, to: Self.batchPolicy)
                let start = ContinuousClock.now
                while waitForEvents() {
                    let events = readEvents()
                    if !events.isEmpty { queue.sync { deliver(events) } }
                    let now = start.duration(to: .now)
                    if pacing.withLock({ $0.looked(at: now) }) { pauseThread(for: EventPacing.interval) }
                }
                close(descriptor)
                close(ended)
                // The thread returns to its pool.
                if isBatch { _ = Self.changePolicy(from: Self.batchPolicy, to: SCHED_OTHER) }
            }
        }

        func end() {
            close(ending)
        }

        /// Linux's `SCHED_BATCH`, which Glibc shows only to programs that define `_GNU_SOURCE`.
        ///
        /// A thread of this policy preempts none that is running when it wakes up; otherwise it is scheduled like any
        /// other. Each append of this process is an event, too, and on a processor that they share, the reading thread
        /// would interrupt the append's thread (20 µs) right before its sync. An event of another process finds an idle
        /// processor, or waits until a thread blocks, at most for a time slice.
        private static let batchPolicy: Int32 = 3

        /// - Returns: Whether the calling thread had the policy and has the other one now. Needs no privilege.
        private static func changePolicy(from old: Int32, to new: Int32) -> Bool {
            var policy: Int32 = 0
            var parameter = sched_param()
            guard pthread_getschedparam(pthread_self(), &policy, &parameter) == 0, policy == old else { return false }
            return pthread_setschedparam(pthread_self(), new, &parameter) == 0
        }

        /// - Returns: False at the end.
        private func waitForEvents() -> Bool {
            var places = [descriptor, ended].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while poll(&places, nfds_t(places.count), -1) < 0 {
                // Interrupted by a signal.
            }
            return places[1].revents == 0
        }

        /// Reads the available events. If there are more, the next wait ends at once.
        private func readEvents() -> [FolderEvent] {
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return [] }
                return Inotify.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }
#endif
