import NIOCore

/// Closes a connection whose client takes nothing of an answer.
///
/// It stands behind an `IdleStateHandler`, which reports that no write was completed for a while. At the first report,
/// that may be the time before the answer, so it closes the connection at the second one.
final class StalledAnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    /// Whether an answer was being sent at the last report.
    private var isSending = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? IdleStateHandler.IdleStateEvent == .write else {
            return context.fireUserInboundEventTriggered(event)
        }
        let wasSending = isSending
        isSending = ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0) > 0
        if wasSending, isSending { context.close(promise: nil) }
    }
}
