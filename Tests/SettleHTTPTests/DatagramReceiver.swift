import Foundation

@testable import Settle

/// A socket that receives datagrams, like that of a service manager or of the system's log.
final class DatagramReceiver: Sendable {
    private let descriptor: Int32
    private let address: String

    /// - Parameter address: An absolute path, at which the file of the socket is removed in the end; or, on Linux, a
    ///   name after “@”.
    init(at address: String) throws {
        self.address = address
        descriptor = try LocalDatagram.makeSocket()
        let socket = descriptor
        guard try LocalDatagram.withAddress(address, { bind(socket, $0, $1) }) == 0 else { throw SystemError.last }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            // The default has no room for a long datagram.
            var size = Int32(1 << 16)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit {
        close(descriptor)
        if address.hasPrefix("/") { unlink(address) }
    }

    /// Returns the next datagram; `nil` if none has arrived. One that was sent on this machine has arrived.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
