#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TransactionAuthor {
    /// The author for this process.
    static let current = TransactionAuthor(
        program: ProcessInfo.processInfo.processName, process: ProcessInfo.processInfo.processIdentifier, user: user)

    /// The name of the user; `nil` on platforms where apps have a device to themselves.
    private static var user: String? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            nil
        #else
            ProcessInfo.processInfo.userName
        #endif
    }
}
