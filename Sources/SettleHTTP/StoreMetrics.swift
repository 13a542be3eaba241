import Settle

/// The figures of a store and of its API.
struct StoreMetrics {
    private let parts: APIParts

    init(_ parts: APIParts) { self.parts = parts }

    var all: [Metric] { ofStore + ofSettings + ofFile + ofAPI }

    private var ofStore: [Metric] {
        let statistics = parts.store.statistics
        return [
            Metric(
                "settings_changes", .counter, help: "Transactions that changed settings.", Double(statistics.changes)),
            Metric(
                "settings_external_changes", .counter, help: "Transactions that came from the file or another process.",
                Double(statistics.externalChanges)),
            Metric("settings_saves", .counter, help: "Saves to stable storage.", Double(statistics.saves)),
            Metric("settings_failed_saves", .counter, help: "Saves that failed.", Double(statistics.failedSaves)),
            Metric(
                "settings_subscribers", .gauge,
                help: "Subscribers of settings and changes, of which each stream is one.",
                Double(statistics.subscribers)),
        ]
    }

    private var ofSettings: [Metric] {
        let settings = parts.store.settings
        let domains = parts.store.domains.map(\.name).map { name in
            Metric.Sample(Double(settings.count { $0.domain == name }), labels: ["domain": name.description])
        }
        return [
            Metric(
                "settings_by_domain", .gauge, help: "Settings by the domain that their value comes from.",
                samples: domains),
            Metric(
                "settings_covered", .gauge,
                help: "Settings of which the program's file could only have a value that is not in force.",
                Double(settings.count(where: \.isCovered))),
            Metric(
                "settings_locked", .gauge,
                help: "Settings that can't be changed, because a domain above the program's file locks them.",
                Double(settings.count { $0.lock != nil })),
            Metric(
                "settings_unusable_values", .gauge, help: "Stored values that can't be used.",
                Double(settings.count { $0.problem != nil })),
            Metric(
                "settings_unknown_variables", .gauge,
                help: "Environment variables with the program's prefix that belong to no setting.",
                Double(parts.store.domains.unknownVariables.count)),
        ]
    }

    private var ofFile: [Metric] {
        let state = FileState(of: parts.store)
        return [
            Metric(
                "settings_file_state", .gauge, help: "1 for the state in which the file is, 0 for the others.",
                samples: FileState.names.map { name in
                    Metric.Sample(name == state.name ? 1 : 0, labels: ["state": name])
                }),
            Metric(
                "settings_oldest_unsaved_change_seconds", .gauge,
                help: "Age of the oldest change that is not on stable storage.",
                state.age(at: parts.configuration.now())),
        ]
    }

    private var ofAPI: [Metric] {
        let counts = parts.counts
        let requests = counts.requests.map { group, count in
            Metric.Sample(
                Double(count),
                labels: ["method": group.method, "route": group.route, "status": "\(group.status)"])
        }
        let refusals = parts.refusals.counts
        return [
            Metric(
                "settings_api_requests", .counter, help: "Requests by method, route and status.", samples: requests),
            Metric(
                "settings_api_refused_requests", .counter, help: "Requests that were refused, by reason.",
                samples: APIRefusal.Reason.allCases.map { reason in
                    Metric.Sample(Double(refusals[reason] ?? 0), labels: ["reason": reason.rawValue])
                }),
            Metric("settings_api_streams", .gauge, help: "Open event streams.", Double(parts.streams.count)),
            Metric(
                "settings_api_stalled_streams", .counter,
                help: "Event streams that were ended because their clients took nothing.",
                Double(parts.streams.stalledCount)),
            Metric(
                "settings_conflicts", .counter,
                help: "Changes that were refused because what they built on had changed, and undos without effect.",
                Double(counts.events(.conflict))),
            Metric("settings_undos", .counter, help: "Transactions that were undone.", Double(counts.events(.undo))),
            Metric(
                "settings_replays", .counter, help: "Writes that were repeated, answered, and not made again.",
                Double(counts.events(.replay))),
            Metric(
                "settings_resumptions", .counter, help: "Event streams of clients that came back with Last-Event-ID.",
                Double(counts.events(.resumption))),
            Metric(
                "settings_lost_resumptions", .counter,
                help: "Event streams that went on with a snapshot: their client's changes were no longer known.",
                Double(counts.events(.lostResumption))),
        ]
    }
}
