import Testing

@testable import Settle

/// Keeps what the stores of many failing tests report off standard error, as long as nobody iterates their issues.
struct SilencedIssues: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await IssueBoard.$standardOutlet.withValue({ _ in }) { try await function() }
    }
}

extension Trait where Self == SilencedIssues {
    static var silencingIssues: Self { Self() }
}
