// The names are those of Security.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported import CoreFoundation

public typealias OSStatus = Int32

nonisolated(unsafe) public let kSecClass = CFString()
nonisolated(unsafe) public let kSecClassGenericPassword = CFString()
nonisolated(unsafe) public let kSecAttrService = CFString()
nonisolated(unsafe) public let kSecAttrAccount = CFString()
nonisolated(unsafe) public let kSecAttrAccessGroup = CFString()
nonisolated(unsafe) public let kSecAttrAccessible = CFString()
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = CFString()
nonisolated(unsafe) public let kSecValueData = CFString()
nonisolated(unsafe) public let kSecReturnData = CFString()
@available(macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, *)
nonisolated(unsafe) public let kSecUseDataProtectionKeychain = CFString()

public let errSecSuccess: OSStatus = 0
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300

public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
