import CoreMetrics
import Synchronization

/// Exports what the system says about this process, and which build it is.
final class ProcessMetrics: Sendable {
    private let factory: any MetricsFactory
    /// The processor time exported so far.
    private let told = Mutex(0.0)

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func update() {
        let figures = ProcessFigures.now
        for (name, value) in [
            ("process_resident_memory_bytes", figures.residentBytes),
            ("process_open_fds", figures.openDescriptors),
            ("process_max_fds", figures.maximumDescriptors),
            ("process_start_time_seconds", figures.startSeconds),
        ] {
            if let value { Meter(label: name, factory: factory).set(value) }
        }
        if let seconds = figures.processorSeconds { tell(seconds) }
        Meter(
            label: "live_service_build_info", dimensions: [("version", LiveService.version)], factory: factory
        ).set(1)
    }

    private func tell(_ seconds: Double) {
        told.withLock { told in
            FloatingPointCounter(label: "process_cpu_seconds_total", factory: factory).increment(by: seconds - told)
            told = seconds
        }
    }
}
