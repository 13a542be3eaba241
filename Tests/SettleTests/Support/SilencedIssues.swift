import Synchronization
import Testing

@testable import Settle

/// Keeps what the stores of many failing tests report off standard error, from the first such test of the process on.
/// What is tested of that runs in processes of its own.
struct SilencedIssues: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        IssueBoard.isSilent.store(true, ordering: .relaxed)
        try await function()
    }
}

extension Trait where Self == SilencedIssues {
    static var silencingIssues: Self { Self() }
}
