import Hummingbird
import Settle

extension SettingsRoutes {
    /// Commits the writes of a request, or tells what they would do, if that is all the request wants.
    ///
    /// - Parameters:
    ///   - keys: What is written.
    ///   - read: What must not have changed since the place that the request names; everything if `nil`.
    ///   - answer: The answer once the writes are on stable storage.
    func perform(
        _ request: Request, _ context: ServiceContext, on keys: [String], since read: [String]?,
        _ writes: @Sendable () throws -> Void, answer: () throws -> Response
    ) async throws -> Response {
        let change = try ChangeRequest(request, context)
        return try await saving {
            if change.isDryRun {
                let preview = try await Preview(change, of: keys, since: read, in: store, writes)
                return Response(json: preview.json)
            }
            try await store.commit(if: change.precondition, of: read, author: change.author, writes)
            return try answer()
        }
    }

    /// Turns errors into responses.
    private func saving<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as SettingsError {
            guard error.code == .conflict else { throw ServiceError(settings: error) }
            counts.conflict()
            throw ServiceError(conflict: error.conflict, now: store.history.token)
        } catch is Precondition.NoPlace {
            counts.conflict()
            throw ServiceError(conflict: nil, now: store.history.token)
        }
    }
}
