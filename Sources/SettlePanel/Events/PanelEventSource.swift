import Settle
import SettleHTTP

/// The events of one connection of a page.
///
/// Each event has an identifier: the token in the store's history, with digests of the page's contents then. A browser
/// sends it in the field `Last-Event-ID` when it reconnects, also to this program's next process, and receives the
/// forms that differ from those it shows. A new page states in the address of its stream the contents with which it was
/// made.
struct PanelEventSource: WebEventSource {
    /// Writes the events of one iterator, and remembers their contents.
    typealias Renderer = (StoreFollower.Update) async -> [UInt8]

    private var follower: StoreFollower
    private let render: Renderer

    init(_ follower: StoreFollower, _ render: @escaping Renderer) {
        (self.follower, self.render) = (follower, render)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
        guard let update = await follower.next(isolation: actor) else { return nil }
        let event = await render(update)
        // The session may have ended meanwhile, since the first event waits for the storage. It gets no later change.
        return follower.isEnded ? nil : event
    }
}
