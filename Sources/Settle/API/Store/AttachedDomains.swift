/// The domains of a store other than the application's.
final class AttachedDomains: Sendable {
    private struct State: Sendable {
        /// The domains, in the order in which they are searched.
        var domains: [AttachedDomain] = []
        var followers: [ObjectIdentifier: DomainFollower] = [:]
        var hasEnded = false
    }

    private let state = LockedValue(State())

    var all: [AttachedDomain] { state.withLock { $0.domains } }

    subscript(name: DomainName) -> AttachedDomain? { all.first { $0.name == name } }

    subscript(identity: DomainIdentity) -> AttachedDomain? { all.first { $0.identity === identity } }

    /// Sets the domains of a store that is not shared yet, in the order in which they are searched.
    func begin(with domains: [AttachedDomain]) { state.withLock { $0.domains = domains } }

    /// Adds a domain behind another one, or first.
    func insert(_ domain: AttachedDomain, after other: AttachedDomain?) {
        state.withLock { state in
            let index = state.domains.firstIndex { $0 === other }.map { $0 + 1 } ?? 0
            state.domains.insert(domain, at: index)
        }
    }

    /// - Returns: The follower of the domain, for the caller to end.
    func remove(_ domain: AttachedDomain) -> DomainFollower? {
        state.withLock { state in
            state.domains.removeAll { $0 === domain }
            return state.followers.removeValue(forKey: ObjectIdentifier(domain))
        }
    }

    /// - Returns: False if the domains have ended or this one was removed; the caller then ends the follower.
    func follow(_ domain: AttachedDomain, with follower: DomainFollower) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, state.domains.contains(where: { $0 === domain }) else { return false }
            state.followers[ObjectIdentifier(domain)] = follower
            return true
        }
    }

    /// Whether all domains with a source have their followers.
    var areFollowed: Bool {
        state.withLock { state in
            state.domains.allSatisfy { $0.source == nil || state.followers[ObjectIdentifier($0)] != nil }
        }
    }

    /// Begins to load all domains again. Returns immediately.
    func load() {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.load() }
    }

    /// Loads all domains again, and returns when their contents or errors are delivered, or when the task is cancelled.
    func reload() async {
        let followers = state.withLock { Array($0.followers.values) }
        await withDiscardingTaskGroup { tasks in
            for follower in followers { tasks.addTask { await follower.reload() } }
        }
    }

    /// Ends the followers of all domains. The last values stay.
    func end() async {
        let followers = state.withLock { state in
            state.hasEnded = true
            defer { state.followers = [:] }
            return state.followers.values
        }
        for follower in followers { await follower.end() }
    }
}
