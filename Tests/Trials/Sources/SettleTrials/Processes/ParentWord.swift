import Foundation
import Synchronization

/// Whether the parent has sent a line or ended.
final class ParentWord: Sendable {
    private let flag = Atomic(false)

    var hasCome: Bool { flag.load(ordering: .acquiring) }

    fileprivate func come() { flag.store(true, ordering: .releasing) }
}

extension StandardStreams {
    /// Waits on its own thread for a line from the parent.
    static func untilParentSpeaks() -> ParentWord {
        let end = ParentWord()
        Thread.detachNewThread {
            _ = readLine()
            end.come()
        }
        return end
    }
}
