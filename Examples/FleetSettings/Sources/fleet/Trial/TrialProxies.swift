import FleetMachines

/// The proxies between two services of the trial and the members: each of these services knows a single address.
struct TrialProxies {
    /// Closes idle connections, as a load balancer does.
    let balancer: CuttingProxy
    /// Holds streams back at times.
    let late: CuttingProxy

    static let idleLimit = Duration.milliseconds(300)

    /// Runs them until some work has ended.
    static func run<Result>(
        to members: [String], _ body: (TrialProxies) async throws -> Result
    ) async throws -> Result {
        let host = LocalNetwork.current == nil ? "127.0.0.1" : LocalNetwork.ownAddress
        return try await CuttingProxy.run(to: members, on: host, closingAfter: idleLimit) { balancer in
            try await CuttingProxy.run(to: members, on: host) { late in
                try await body(TrialProxies(balancer: balancer, late: late))
            }
        }
    }

    /// The address that a service knows; `nil` for those of all members.
    func endpoints(of service: Int) -> [String]? {
        switch service {
        case 5: [late.endpoint]
        case 6: [balancer.endpoint]
        default: nil
        }
    }
}
