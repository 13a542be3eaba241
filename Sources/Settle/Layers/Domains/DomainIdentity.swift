/// A domain of one store: the part that stays the same while its values change.
final class DomainIdentity: Sendable {
    let name: DomainName
    let origin: ValueOrigin
    /// Whether its values cover those of the application's domain.
    let isAbove: Bool
    /// Whether a key that it has can't be written.
    let locksKeys: Bool
    /// Whether its values are gone when the program ends.
    let isVolatile: Bool
    /// Whether it is the secret store.
    let holdsSecrets: Bool

    init(
        _ name: DomainName, _ origin: ValueOrigin, isAbove: Bool, locksKeys: Bool = false, isVolatile: Bool,
        holdsSecrets: Bool = false
    ) {
        self.name = name
        self.origin = origin
        self.isAbove = isAbove
        self.locksKeys = locksKeys
        self.isVolatile = isVolatile
        self.holdsSecrets = holdsSecrets
    }
}
