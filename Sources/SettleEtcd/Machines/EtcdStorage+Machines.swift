public import Settle

/// The machines of a fleet, and the settings in force on them.
extension EtcdStorage {
    /// Reports to the cluster the settings in force in a store on this storage, until the task is cancelled or the
    /// store is closed. Then the machine is no longer listed.
    ///
    /// ```swift
    /// group.addTask { await storage.report(store, as: hostName) }
    /// ```
    ///
    /// A report never includes a transaction that is not in force yet. It also covers the domains of the store that are
    /// in a cluster, such as the settings of a group of machines: see ``EtcdMachine/layers``.
    ///
    /// A report is made a moment after something new takes effect, but at least 0.1 s after the last report. Each report
    /// costs one small write beside the settings, which wakes no followers of the settings. A machine that can't be
    /// reached stays listed for `timeToLive` without a renewal. Failed calls are repeated, and those that etcd denies more
    /// and more rarely.
    ///
    /// - Parameters:
    ///   - store: A store on this storage.
    ///   - machine: The machine's name. If two machines have the same name, only the last report is listed.
    ///   - timeToLive: How long the machine stays listed after it has gone. Whole seconds.
    public nonisolated func report(
        _ store: SettingsStore, as machine: String, timeToLive: Duration = .seconds(60)
    ) async {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reporter = LockedValue(MachineReporter(timeToLive: timeToLive))
        // Before the first report, so that nothing falls in between.
        let (changes, contents) = (store.history.changes(after: store.history.token), ContentWatch(store))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes { signal.yield() }
                signal.finish()
            }
            // Other domains are not in the history.
            group.addTask {
                var contents = contents
                while await contents.changed() { signal.yield() }
            }
            group.addTask { [time] in
                while (try? await time.sleep(time.elapsed() + timeToLive / 3)) != nil { signal.yield() }
                signal.finish()
            }
            signal.yield()
            var denials = 0
            for await _ in signals {
                let failure = await report(EtcdMachine(store, name: machine, time: wallTime), reporter, timeToLive)
                // Each attempt of a user who may not write here would succeed in part: etcd grants the lease.
                denials = failure?.isDenied == true ? denials + 1 : 0
                let failurePause = BackOff.delay(after: max(1, denials), within: configuration.reconnectDelay)
                let pause = failure == nil ? Self.reportPause : failurePause
                let due = time.elapsed() + pause * (1 + configuration.random() / 2)
                if (try? await time.sleep(due)) == nil { break }
                // A change in the meantime has sent a signal, but a failure has not.
                if failure != nil { signal.yield() }
            }
            group.cancelAll()
        }
        guard let lease = reporter.withLock({ $0.currentLease }) else { return }
        await cluster.revoke(lease)
    }

    /// Returns the machines that report to the cluster.
    ///
    /// - Returns: The machines, sorted by their names.
    /// - Throws: `StorageError` if the cluster can't be queried.
    public nonisolated func machines() async throws(StorageError) -> [EtcdMachine] {
        let range = space.machines
        let found = try await cluster.read(RangeRequest(key: range.key, end: range.end)).range
        let machines = found.pairs.compactMap { pair in
            space.machineName(of: pair.key).flatMap { EtcdMachine(name: $0, pair.value) }
        }
        return machines.sorted { $0.name < $1.name }
    }

    /// The shortest time between two reports.
    private static let reportPause = Duration.milliseconds(100)

    /// Takes the step that is due.
    ///
    /// - Returns: The reason that it failed.
    private nonisolated func report(
        _ machine: EtcdMachine, _ reporter: LockedValue<MachineReporter>, _ timeToLive: Duration
    ) async -> GatewayFailure? {
        do throws(GatewayFailure) {
            while true {
                let now = time.elapsed()
                switch reporter.withLock({ $0.next(machine, now: now) }) {
                case .wait: return nil
                case .register:
                    let lease = try await cluster.grantLease(seconds: max(1, Int64(timeToLive.inSeconds))).lease
                    reporter.withLock { $0.didRegister(lease, now: now) }
                case .put(let lease):
                    let put = Operation.put(key: space.machine(machine.name), value: machine.bytes, lease: lease)
                    _ = try await cluster.transact(TransactionRequest(success: [put]))
                    reporter.withLock { $0.didPut(machine) }
                case .renew(let lease):
                    guard try await cluster.keepAlive(lease) > 0 else {
                        reporter.withLock { $0.failed() }
                        continue
                    }
                    reporter.withLock { $0.didRenew(now: now) }
                }
            }
        } catch {
            if !error.isDenied { reporter.withLock { $0.failed() } }
            return error
        }
    }
}
