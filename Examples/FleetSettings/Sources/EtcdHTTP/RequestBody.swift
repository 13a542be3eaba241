import NIOCore
import Synchronization

/// The body of a request, which knows whether it has begun to leave.
///
/// The client asks for it once there is a connection and the head was written. So long as it was not asked for, the member
/// has no whole request, and does nothing.
final class RequestBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let bytes: ByteBuffer
    private let begun = Atomic(false)

    init(_ bytes: [UInt8]) { self.bytes = ByteBuffer(bytes: bytes) }

    /// Whether some of it may have arrived.
    var hasBegun: Bool { begun.load(ordering: .sequentiallyConsistent) }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: RequestBody
        private var isOver = false

        fileprivate init(body: RequestBody) { self.body = body }

        mutating func next() async -> ByteBuffer? {
            guard !isOver else { return nil }
            isOver = true
            body.begun.store(true, ordering: .sequentiallyConsistent)
            return body.bytes
        }
    }
}
