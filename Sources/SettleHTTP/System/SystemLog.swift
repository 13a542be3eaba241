import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The log of the system, which receives datagrams.
struct SystemLog: Sendable {
    /// The error of a line that could not be sent.
    struct MessageError: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    #if canImport(Darwin)
        static let defaultAddress = "/var/run/syslog"
    #else
        static let defaultAddress = "/dev/log"
    #endif

    private let address: String
    /// The begin of each line.
    private let head: String
    private let send: @Sendable ([UInt8], String) throws(SystemError) -> Void

    /// The maximum number of bytes of a line, which most receivers accept, and the smallest one to try.
    private static let sizes = (first: 8 << 10, last: 1 << 10)

    /// - Parameters:
    ///   - name: The name of the program.
    ///   - address: The path of the log's socket.
    ///   - send: Sends a datagram to an address.
    init(
        as name: String, at address: String = defaultAddress,
        sendingWith send: @escaping @Sendable ([UInt8], String) throws(SystemError) -> Void = {
            bytes, address throws(SystemError) in try LocalDatagram.send(bytes, to: address)
        }
    ) {
        // Facility 1, severity 5.
        head = "<13>\(name)[\(ProcessInfo.processInfo.processIdentifier)]: "
        (self.address, self.send) = (address, send)
    }

    /// Sends a line, cut off as far as the log requires it: one that it never accepts would stop an audit for good.
    func write(_ line: String) throws(MessageError) {
        let bytes = Array((head + line).utf8)
        var size = Self.sizes.first
        while true {
            do throws(SystemError) {
                return try send(Array(bytes.prefix(size)), address)
            } catch {
                guard error == .messageTooLong, size > Self.sizes.last else {
                    throw MessageError(description: "The system's log at “\(address)” can't be written: \(error).")
                }
                size /= 2
            }
        }
    }
}
