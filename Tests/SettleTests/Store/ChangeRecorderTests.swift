import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ChangeRecorderTests {
    @Test("A recorder returns each element once, in order, then nil")
    func order() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let recorder = ChangeRecorder(stream)
        for number in 1...3 { continuation.yield(number) }
        #expect(await recorder.next() == 1)
        #expect(await recorder.next() == 2)
        #expect(await recorder.until { $0.count == 3 } == [1, 2, 3])
        continuation.finish()
        #expect(await recorder.next() == 3)
        #expect(await recorder.next() == nil)
        #expect(await recorder.untilEnd() == [1, 2, 3])
        #expect(recorder.hasEnded && recorder.elements == [1, 2, 3])
        #expect(await recorder.until { $0.count == 9 } == [1, 2, 3])
    }

    @Test("A recorder unsubscribes when it is released")
    func release() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let ended = ChangeRecorder(
            AsyncStream<Int> { other in
                continuation.onTermination = { _ in other.finish() }
            })
        do {
            let recorder = ChangeRecorder(stream)
            continuation.yield(1)
            #expect(await recorder.next() == 1)
        }
        await ended.untilEnd()
    }
}
