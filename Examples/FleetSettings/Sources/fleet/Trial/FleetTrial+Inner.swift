import EtcdHTTP
import FleetMachines
import Settle
import SettleEtcd
import TrialChecks

extension FleetTrial {
    /// Checks what the inner service and the others know of each other, and ends it.
    ///
    /// - Parameter log: Everything that was stored under the prefix of the others.
    /// - Returns: The promises that were broken, as sentences.
    func finishInner(_ log: [ClusterVerdict.Stored]) async throws -> [String] {
        let own = InnerService.log(log)
        let values = try await values(of: inner, after: own)
        // A revision of the others would be one too many here.
        let verdict = ClusterVerdict(
            [inner.lines], log: own, repeating: TrialGroup.ownRepeating, finals: ["The inner service": values],
            end: MonotonicTime.now())
        await inner.end()
        var problems = verdict.sentences.map { "Under “\(InnerService.prefix)”: \($0)" }
        problems += InnerService.unreported(by: services.map(\.lines))
        if try await !isOuterPrefixReported() {
            problems.append("A store on “\(InnerService.prefix)” has not reported that it is within “\(Self.prefix)”.")
        }
        return problems
    }

    /// Whether an audit of a store on the inner prefix reports the prefix around it. The audits of the service come too
    /// rarely.
    private func isOuterPrefixReported() async throws -> Bool {
        var configuration = EtcdConfiguration(endpoints: cluster.endpoints, prefix: InnerService.prefix)
        configuration.audit = .milliseconds(100)
        let store = try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport))
        let issues = store.issues
        let search = Task {
            for await issue in issues where InnerService.isReport("\(issue)") { return true }
            return false
        }
        let alarm = Task {
            try? await Task.sleep(for: .seconds(10))
            search.cancel()
        }
        let isReported = await search.value
        alarm.cancel()
        try await store.close()
        return isReported
    }
}
