import Foundation
import Synchronization

/// Whether the parent has said something, or has ended.
final class ParentWord: Sendable {
    private let flag = Atomic(false)

    var hasCome: Bool { flag.load(ordering: .acquiring) }

    fileprivate func come() { flag.store(true, ordering: .releasing) }
}

extension StandardStreams {
    /// Waits for a line of the parent in a thread of its own.
    static func untilParentSpeaks() -> ParentWord {
        let end = ParentWord()
        Thread.detachNewThread {
            _ = readLine()
            end.come()
        }
        return end
    }
}
