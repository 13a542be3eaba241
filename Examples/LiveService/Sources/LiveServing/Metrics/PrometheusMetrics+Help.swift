extension PrometheusMetrics {
    /// What the service's metrics are.
    static let help = [
        "admin_refused_requests_total": "Requests to the admin endpoints that were refused, by reason.",
        "http_connections": "Open connections.",
        "http_connections_cut_off_total": "Connections that the service closed, by reason.",
        "http_request_duration_seconds": "Time until a response began, by route.",
        "http_requests_total": "Requests by method, route and status.",
        "live_service_build_info": "Always 1; the label has the version.",
        "process_cpu_seconds_total": "Processor time of the process, in user and system mode.",
        "process_max_fds": "How many files and connections the process may have open.",
        "process_open_fds": "How many files and connections the process has open.",
        "process_resident_memory_bytes": "Memory of the process that is in main memory.",
        "process_start_time_seconds": "When the process started, in seconds since 1970.",
        "rate_limit_burst": "Requests that the public endpoints accept at once.",
        "rate_limit_per_second": "Requests that the public endpoints accept each second.",
        "settings_by_domain": "Settings by the domain that their value comes from.",
        "settings_changes_total": "Transactions that changed settings.",
        "settings_conflicts_total":
            "Changes that were refused because what they built on had changed, and undos that had nothing left to undo.",
        "settings_covered": "Settings of which the service's file could only have a value that is not in force.",
        "settings_external_changes_total": "Transactions that came from the file or another process.",
        "settings_failed_saves_total": "Saves that failed.",
        "settings_locked": "Settings that can't be changed, because a domain above the service's file locks them.",
        "settings_lost_resumptions_total":
            "Event streams that went on with a snapshot, because what their client had missed was not known any more.",
        "settings_oldest_unsaved_change_seconds": "Age of the oldest change that is not on stable storage.",
        "settings_resumptions_total": "Event streams of clients that came back with Last-Event-ID.",
        "settings_saves_total": "Saves to stable storage.",
        "settings_subscribers": "Subscribers of settings and changes, of which each event stream is two.",
        "settings_undos_total": "Transactions that were taken back.",
        "settings_unusable_values": "Stored values that can't be used.",
    ]
}
