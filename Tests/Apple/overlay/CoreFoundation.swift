// The names are those of Core Foundation. In the SDK its types are imported from C: classes, with nullable results.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFTypeRef = AnyObject
public typealias CFStringEncoding = UInt32
public class CFAllocator { public init() {} }
public class CFBoolean { public init() {} }
public class CFData { public init() {} }
public class CFString { public init() {} }
public class CFDictionary { public init() {} }
public class CFMutableDictionary: CFDictionary { public override init() {} }

public struct CFDictionaryKeyCallBacks { public init() {} }
public struct CFDictionaryValueCallBacks { public init() {} }
public enum CFStringBuiltInEncodings: CFStringEncoding { case UTF8 = 0x0800_0100 }

// The compiler trusts imported constants as it trusts these.
nonisolated(unsafe) public let kCFBooleanTrue: CFBoolean! = nil
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }
public func CFDataGetTypeID() -> CFTypeID { 0 }
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    nil
}
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! { nil }
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { 0 }
public func CFStringCreateWithBytes(
    _ alloc: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ numBytes: CFIndex, _ encoding: CFStringEncoding,
    _ isExternalRepresentation: Bool
) -> CFString! { nil }
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! { nil }
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {}
