#if canImport(Darwin)
    extension SearchList.Domain {
        /// The secrets that the program writes, in the keychain.
        ///
        /// Each secret is a generic password of the service, with the key of its setting as the account. It can be read
        /// once the user has unlocked the device since it started, stays on this device, and is not synchronized.
        /// Changes by other programs are found by ``SettingsStore/reload()``.
        ///
        /// - Note: Not settled: it has only been type-checked for Apple platforms, and a version 0.x may still change
        ///   it.
        ///
        /// - Parameters:
        ///   - service: The name of the service, such as the store's.
        ///   - accessGroup: A keychain access group of the program's entitlements. By default the items are in the
        ///     system's default keychain, which on macOS is the user's login keychain.
        public static func keychain(service: String, accessGroup: String? = nil) -> SearchList.Domain {
            .secretStore(KeychainSecrets(service: service, accessGroup: accessGroup))
        }
    }
#endif
