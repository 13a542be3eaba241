@testable import Settle

/// What kind of task calls a store.
enum Caller: String, Codable, CaseIterable, Sendable {
    case mainActor
    /// An actor on the threads of the concurrency runtime.
    case actor
    /// An actor with a thread of its own.
    case threadActor
    case detachedTask
    /// A task of no actor that begins on another thread.
    case immediateTask
    /// A task of an actor that begins where the actor runs.
    case immediateActorTask

    /// Whether the calls of such a task need no thread of the concurrency runtime.
    var hasOwnThread: Bool { self == .mainActor || self == .threadActor || self == .immediateActorTask }

    /// Runs work in a task of this kind, which stays on its actor.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws { try await begin(work).value }

    /// Begins a task of this kind, also while all threads of the concurrency runtime are blocked if it
    /// ``hasOwnThread``.
    func begin(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        switch self {
        case .mainActor: Task { @MainActor in try await work() }
        case .actor: Task.detached { try await PlainActor().run(work) }
        case .threadActor: Task.immediate { try await ThreadActor().run(work) }
        case .detachedTask: Task.detached { try await work() }
        case .immediateTask: Task.immediate { try await work() }
        case .immediateActorTask: Task { @MainActor in try await Task.immediate { try await work() }.value }
        }
    }
}

private actor PlainActor {
    func run(_ work: @Sendable () async throws -> Void) async throws {
        try await work()
        preconditionIsolated()
    }
}

private actor ThreadActor {
    private let executor = QueueExecutor(label: "test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ work: @Sendable () async throws -> Void) async throws {
        try await work()
        preconditionIsolated()
    }
}
