import Foundation

/// A connection of TCP on this machine, which is closed when nobody has it any more.
final class Socket: Sendable {
    let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// A new one.
    private convenience init() throws { self.init(try Self.checked(socket(AF_INET, Self.streams, 0))) }

    convenience init(connectedTo port: Int) throws {
        try self.init()
        try withAddress(port) { _ = try Self.checked(connect(descriptor, $0, $1)) }
    }

    /// Accepts connections at a port; 0 for any free one.
    convenience init(listeningAt port: Int) throws {
        try self.init()
        try withAddress(port) { _ = try Self.checked(bind(descriptor, $0, $1)) }
        _ = try Self.checked(listen(descriptor, 64))
    }

    deinit { close(descriptor) }

    static func freePort() throws -> Int { try Socket(listeningAt: 0).port }

    var port: Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    func accept() throws -> Socket { Socket(try Self.checked(Foundation.accept(descriptor, nil, nil))) }

    /// Ends what waits for it in both directions.
    func cut() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// - Returns: Nothing at the end.
    func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.flags) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether a Redis server answers there, and has loaded its data.
    var isAnswered: Bool {
        write(Array("PING\r\n".utf8))
        return read().starts(with: Array("+PONG".utf8))
    }

    private func withAddress<Result>(
        _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return try withUnsafePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func checked(_ result: CInt) throws -> CInt {
        if result < 0 { throw MachineError("A connection failed: \(String(cString: strerror(errno)))") }
        return result
    }

    #if canImport(Glibc)
        private static let streams = CInt(SOCK_STREAM.rawValue)
        private static let flags = CInt(MSG_NOSIGNAL)
    #else
        private static let streams = SOCK_STREAM
        private static let flags: CInt = 0
    #endif
}
