public import Settle

extension SearchList.Domain {
    /// The settings under another prefix of a cluster, such as those of one machine or of a group of machines.
    ///
    /// ```swift
    /// let fleet = EtcdConfiguration(endpoints: members, prefix: "/app/")
    /// let store = try await SettingsStore.open(
    ///     storage: EtcdStorage(fleet, transport: transport),
    ///     searching: [
    ///         .etcd("host", fleet.forHost("web-1"), transport: transport),
    ///         .etcd("canary", fleet.forGroup("canary"), transport: transport),
    ///         .application,
    ///     ])
    /// ```
    ///
    /// The domain follows the cluster as a store does, and everything in one transaction comes into force at once. The
    /// store writes to its own storage only; to write here, open a store on this prefix. An explanation of a value names
    /// the prefix, the revision and, where it is known, the author.
    ///
    /// Without the cluster, and without the last known values of a local copy, the store does not open: the values of
    /// the domains below would be in force instead.
    ///
    /// - Parameters:
    ///   - name: The domain's name, which no other domain of the list has.
    ///   - configuration: The location of the settings. Its prefix is not within that of the store, and does not
    ///     contain it.
    ///   - transport: Carries the requests.
    ///   - localCopy: The storage of the last known values: a `FileStorage` that nothing else uses.
    ///   - locksKeys: Whether a key that it has can't be written, as with `managed(in:)`.
    public static func etcd(
        _ name: DomainName, _ configuration: EtcdConfiguration, transport: any EtcdTransport,
        localCopy: (any Storage)? = nil, locksKeys: Bool = false
    ) -> Self {
        let storage = EtcdStorage(configuration, transport: transport, localCopy: localCopy)
        return .source(name, EtcdDomainSource(storage), locksKeys: locksKeys)
    }
}

extension EtcdConfiguration {
    /// Returns this configuration for the settings of one machine: those of `/app/` are in `/app$hosts/NAME/`.
    public func forHost(_ name: String) -> EtcdConfiguration { beside("hosts", name) }

    /// Returns this configuration for the settings of a group of machines: those of `/app/` are in
    /// `/app$groups/NAME/`.
    public func forGroup(_ name: String) -> EtcdConfiguration { beside("groups", name) }

    /// The prefix is beside this one, since prefixes must not lie within each other.
    private func beside(_ kind: String, _ name: String) -> EtcdConfiguration {
        var other = self
        let base = prefix.hasSuffix("/") ? prefix.dropLast() : prefix[...]
        let spelled = name.unicodeScalars.map { $0 == "/" ? "%2F" : $0 == "%" ? "%25" : String($0) }
        other.prefix = "\(base)$\(kind)/\(spelled.joined())/"
        return other
    }
}
