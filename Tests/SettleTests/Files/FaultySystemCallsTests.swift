import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct FaultySystemCallsTests {
    @Test("Descriptors of an ended process are refused, so it can't close the file of another")
    func endProcess() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "file").path
        let calls = FaultySystemCalls()
        let file = try calls.openFile(path, .createNew(permissions: 0o600))
        calls.endProcess()
        #expect(throws: SystemError.badDescriptor) { try calls.closeFile(file) }
        #expect(throws: SystemError.badDescriptor) { try calls.lockFile(file) }
        let other = try calls.openFile(path, .update)
        try calls.closeFile(other)
        #expect(throws: SystemError.badDescriptor) { try calls.closeFile(other) }
    }
}
