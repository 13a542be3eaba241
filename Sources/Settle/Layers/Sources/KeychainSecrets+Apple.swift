#if canImport(Darwin)
    import CoreFoundation
    import Security

    /// A secret store in the keychain: a generic password for each secret, whose account is the key of the setting.
    struct KeychainSecrets: SecretStore {
        let service: String
        /// `nil` for the keychain that the system uses by default.
        let accessGroup: String?

        // MARK: Reading

        func secret(forKey key: SettingKey) throws(StorageError) -> String? {
            let query = try item(key)
            set(kSecReturnData, to: kCFBooleanTrue, in: query)
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query, &result)
            guard status != errSecItemNotFound else { return nil }
            guard status == errSecSuccess, let result, CFGetTypeID(result) == CFDataGetTypeID() else {
                throw StorageError(.unreadable, "\(location(of: key)) can't be read: status \(status).")
            }
            // Proof: its type was compared.
            let data = unsafeDowncast(result, to: CFData.self)
            let text = withExtendedLifetime(data) {
                let bytes = UnsafeBufferPointer(start: CFDataGetBytePtr(data), count: CFDataGetLength(data))
                return String(validating: bytes, as: UTF8.self)
            }
            // The contents are secret, and so are parts of them.
            guard let text else {
                throw StorageError(.unreadable, "\(location(of: key)) can't be read: it is not UTF-8 text.")
            }
            return text
        }

        func location(of key: SettingKey) -> String { "the keychain's item “\(key)” of “\(service)”" }

        // MARK: Writing

        func setSecret(_ secret: String?, forKey key: SettingKey) throws(StorageError) {
            guard let secret else {
                let status = SecItemDelete(try item(key))
                return try check(status == errSecItemNotFound ? errSecSuccess : status, key, "removed")
            }
            let bytes = Array(secret.utf8)
            let value = try dictionary()
            set(kSecValueData, to: CFDataCreate(nil, bytes, bytes.count), in: value)
            var status = SecItemUpdate(try item(key), value)
            if status == errSecItemNotFound {
                let new = try item(key)
                set(kSecValueData, to: CFDataCreate(nil, bytes, bytes.count), in: new)
                // For programs that start before the user unlocks the device again, and never on another device.
                set(kSecAttrAccessible, to: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, in: new)
                status = SecItemAdd(new, nil)
                // Another process was faster.
                if status == errSecDuplicateItem { status = SecItemUpdate(try item(key), value) }
            }
            try check(status, key, "written")
        }

        private func check(_ status: OSStatus, _ key: SettingKey, _ action: String) throws(StorageError) {
            guard status != errSecSuccess else { return }
            throw StorageError(.writeFailed, "\(location(of: key)) was not \(action): status \(status).")
        }

        // MARK: Queries

        /// Returns a query for the item of a key.
        private func item(_ key: SettingKey) throws(StorageError) -> CFMutableDictionary {
            let query = try dictionary()
            set(kSecClass, to: kSecClassGenericPassword, in: query)
            set(kSecAttrService, to: string(service), in: query)
            set(kSecAttrAccount, to: string(key.description), in: query)
            if let accessGroup {
                set(kSecAttrAccessGroup, to: string(accessGroup), in: query)
                set(kSecUseDataProtectionKeychain, to: kCFBooleanTrue, in: query)
            }
            return query
        }

        private func dictionary() throws(StorageError) -> CFMutableDictionary {
            var (keys, values) = (kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks)
            guard let dictionary = CFDictionaryCreateMutable(nil, 0, &keys, &values) else {
                throw StorageError(.unavailable, "The keychain can't be asked: there is no memory left.")
            }
            return dictionary
        }

        private func string(_ text: String) -> CFString? {
            let bytes = Array(text.utf8)
            return CFStringCreateWithBytes(nil, bytes, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
        }

        /// Sets a value, which the dictionary retains.
        private func set(_ key: CFString, to value: AnyObject?, in dictionary: CFMutableDictionary) {
            guard let value else { return }
            CFDictionarySetValue(
                dictionary, Unmanaged.passUnretained(key).toOpaque(), Unmanaged.passUnretained(value).toOpaque())
        }
    }
#endif
