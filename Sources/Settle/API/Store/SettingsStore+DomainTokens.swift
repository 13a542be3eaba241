/// The domains of a store whose sources have histories of their own, such as other prefixes of a cluster.
extension SettingsStore {
    /// The domains that have a source, with the newest transaction of the source's history that is in force.
    package var domainTokens: [(name: DomainName, source: any DomainSource, token: ChangeToken?)] {
        core.domains.all.compactMap { domain in
            domain.source.map { (name: domain.name, source: $0, token: domain.token.withLock { $0 }) }
        }
    }

    /// Returns the declared settings for which a domain has a value that can't be used, with the reason.
    package func unusableValues(in name: DomainName) -> [String: String] {
        guard let domain = core.domains[name]?.identity else { return [:] }
        let found = log.lock.withLock {
            log.stored.slots.all.compactMap { slot -> (SettingLook, DomainCandidate)? in
                guard let look = SettingLook(at: slot, log, in: nil), look.box.isLayered else { return nil }
                let candidates = log.stored.domains.candidates(
                    at: log.stored.slots.declaredKey(of: slot), above: domain.isAbove)
                return candidates.first { $0.domain === domain }.map { (look, $0) }
            }
        }
        // Rules and coders are foreign code: outside the lock.
        return found.reduce(into: [:]) { problems, value in
            guard case (.refused, let problem) = value.0.outcome(of: value.1) else { return }
            problems[value.0.key.description] = problem ?? "it can't be used"
        }
    }
}
