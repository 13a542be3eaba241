#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// A connection to this machine, read by the thread that writes: a client with as little in between as possible.
final class RawConnection {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: CInt
    // Small, because there are ten thousand connections.
    private var piece = [UInt8](repeating: 0, count: 4_096)
    /// The bytes that were received and not used.
    private var received: [UInt8] = []

    init(port: Int) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(description: "There is no descriptor for another connection.") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard code == 0 else { throw Failure(description: "The server takes no connection.") }
        var patience = timeval()
        patience.tv_sec = 60
        _ = setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ request: [UInt8]) throws {
        guard write(descriptor, request, request.count) == request.count else {
            throw Failure(description: "A request could not be sent.")
        }
    }

    /// Receives until some bytes have come, and drops everything up to their end.
    func receive(until end: [UInt8]) throws {
        while true {
            if let index = Self.index(of: end, in: received) {
                received.removeFirst(index + end.count)
                return
            }
            try receive()
        }
    }

    /// Sends a request, and receives a response of a known size.
    func exchange(_ request: [UInt8], for size: Int) throws {
        try send(request)
        while received.count < size { try receive() }
        received.removeFirst(size)
    }

    /// Sends a request, and receives its whole response.
    func exchange(_ request: [UInt8]) throws -> [UInt8] {
        try send(request)
        while true {
            if let end = Self.index(of: Array("\r\n\r\n".utf8), in: received) {
                let size = try end + 4 + contentLength(in: received[..<end])
                while received.count < size { try receive() }
                defer { received.removeFirst(size) }
                return Array(received[..<size])
            }
            try receive()
        }
    }

    private func receive() throws {
        let size = piece.count
        let count = read(descriptor, &piece, size)
        guard count > 0 else { throw Failure(description: "The server sent nothing more.") }
        received += piece[..<count]
    }

    private func contentLength(in head: ArraySlice<UInt8>) throws -> Int {
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "content-length",
                let length = Int(parts[1].filter { $0 != " " })
            {
                return length
            }
        }
        throw Failure(description: "A response has no length.")
    }

    private static func index(of part: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= part.count else { return nil }
        return (0...(bytes.count - part.count)).first { bytes[$0] == part[0] && bytes[$0...].starts(with: part) }
    }
}
