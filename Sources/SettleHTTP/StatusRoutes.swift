import Settle

/// The routes for the systems that run and watch the program.
struct StatusRoutes: Sendable {
    let parts: APIParts

    private var configuration: SettingsAPI.Configuration { parts.configuration }

    var routes: [Route] { [live, ready, metrics] }

    private var live: Route {
        let operation = Operation(
            method: "GET", path: "/health/live", name: "getLiveness", summary: "Whether the process works",
            answers: [.ok("It does.", Self.schema(of: "live"))])
        // A process that can't save stays alive, because its unsaved changes are only in memory.
        return Route(operation: operation, access: configuration.health, needsSettings: false) { _ in answer("live") }
    }

    private var ready: Route {
        let operation = Operation(
            method: "GET", path: "/health/ready", name: "getReadiness",
            summary: "Whether the program should receive requests",
            answers: [
                .ok("It should.", Self.schema(of: "ready")),
                .problem(503, "It should not: `reasons` says why, such as that changes can't be saved."),
            ])
        return Route(operation: operation, access: configuration.health, needsSettings: false) { _ in
            let state = self.state
            let reasons = [state.failure].compactMap(\.self) + configuration.reasonsNotReady()
            guard reasons.isEmpty else {
                var problem = Problem(.notReady, reasons.joined(separator: " "))
                problem.members["reasons"] = .array(reasons.map { .string($0) })
                problem.members["file"] = state.json
                throw problem
            }
            return answer("ready")
        }
    }

    /// The state of the file, without errors and paths where everyone sees it.
    private var state: FileState { FileState(of: parts.store, showsErrors: configuration.health != .open) }

    private func answer(_ status: String) -> WebResponse {
        let state = self.state
        return .json(["status": .string(status), "settings": .string(state.name), "file": state.json])
    }

    private static func schema(of status: String) -> Schema {
        .object(["status": .oneOf([status]), "settings": .oneOf(FileState.names), "file": .component("File")])
    }

    private var metrics: Route {
        let operation = Operation(
            method: "GET", path: "/metrics", name: "getMetrics",
            summary: "Metrics in Prometheus' text format, or in OpenMetrics",
            answers: [.text("The metrics.", as: "text/plain", "application/openmetrics-text")])
        return Route(operation: operation, access: configuration.metrics) { call in
            let format = MetricsFormat(accept: call.request.values(of: "accept"))
            let text = format.text(of: StoreMetrics(parts).all + configuration.moreMetrics())
            return WebResponse(200, [("Content-Type", format.mediaType)], .bytes(Array(text.utf8)))
        }
    }
}
