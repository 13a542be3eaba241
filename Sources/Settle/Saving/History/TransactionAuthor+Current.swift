#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TransactionAuthor {
    /// This process.
    static let current = TransactionAuthor(
        program: ProcessInfo.processInfo.processName, process: ProcessInfo.processInfo.processIdentifier, user: user)

    /// Where apps have a device to themselves, there is no user to name.
    private static var user: String? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            nil
        #else
            ProcessInfo.processInfo.userName
        #endif
    }
}
