extension SettingsStore {
    /// The domains that the store searches for a value, highest first, and last that of the declarations.
    public var domains: Domains { Domains(store: self) }

    /// The domains of a store, as they were when the property was read.
    public struct Domains: RandomAccessCollection, Sendable {
        /// Keeps the store open.
        package let store: SettingsStore
        private let names: [DomainName]

        fileprivate init(store: SettingsStore) {
            self.store = store
            names = store.core.domainNames
        }

        public var startIndex: Int { 0 }
        public var endIndex: Int { names.count }

        public subscript(position: Int) -> SettingsDomain { self[names[position]] }

        /// A domain by its name. If the store does not search the domain, nothing can be read from it, and writing it
        /// throws.
        public subscript(name: DomainName) -> SettingsDomain {
            SettingsDomain(name: name, core: store.core, domain: store.core.domains[name])
        }
    }

    /// Whether a domain is one of ``domains``, other than that of the declarations.
    package func searchesDomain(_ name: DomainName) -> Bool { core.domains[name] != nil }
}

extension SettingsStore.Domains {
    /// The arguments that no declared or registered key has taken so far, in order, for the program's own parser. All
    /// of them are left until the groups are opened.
    public var remainingArguments: [String] {
        (store.core.domains[.arguments]?.source as? ArgumentsSource)?.remaining ?? []
    }

    /// The environment variables with the program's prefix that no declared or registered key has, in the order of the
    /// domains and then of the names: misspelt ones, and those that the program uses itself. All of them are unknown
    /// until the groups are opened.
    public var unknownVariables: [UnknownVariable] {
        store.core.unknownVariables { $0.unknownVariables }
    }
}

extension SettingsStore.Keys {
    /// Every value in force, as the search list determines it: declared settings with their defaults, and keys that no
    /// group declares. Secrets are left out.
    public var effectiveValues: SettingTree { store.core.effectiveTree() }
}
