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

/// Datagrams to a socket of this machine, such as that of a service manager or of the system's log.
package enum LocalDatagram {
    /// Sends a datagram. Waits at most a second for a receiver that has no room for it.
    ///
    /// - Parameter address: The absolute path of the socket; on Linux also the name of an abstract one, after “@”.
    package static func send(_ bytes: [UInt8], to address: String) throws(SystemError) {
        let descriptor = try makeSocket()
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        #if canImport(Darwin)
            // The default is also the size of the largest datagram, and less than a line of a log may need.
            var size = Int32(max(bytes.count, 2048))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var count = -1
        repeat {
            count = try withAddress(address) { address, length in
                bytes.withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, 0, address, length) }
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .last }
    }

    /// Returns the descriptor of a new socket, which child processes do not inherit.
    static func makeSocket() throws(SystemError) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .last }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    static func withAddress<Result>(
        _ text: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SystemError) -> Result {
        var name = Array(text.utf8)
        var address = sockaddr_un()
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        let isAbstract = name.first == UInt8(ascii: "@")
        guard isAbstract || name.first == UInt8(ascii: "/"), name.count < capacity, !name.contains(0) else {
            throw SystemError(
                .invalidArgument, rule: "the path of a socket is absolute and has fewer than \(capacity) bytes")
        }
        // The name of an abstract socket begins with a zero instead of ending with one.
        if isAbstract { name[0] = 0 }
        let length = MemoryLayout<sockaddr_un>.size - capacity + name.count + (isAbstract ? 0 : 1)
        address.sun_family = sa_family_t(AF_UNIX)
        #if canImport(Darwin)
            address.sun_len = UInt8(length)
        #endif
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
