#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// What the system says about this process. A figure that it does not give is `nil`.
struct ProcessFigures: Sendable {
    /// In user and system mode.
    let processorSeconds: Double?
    let maximumDescriptors: Double?
    let openDescriptors: Double?
    let residentBytes: Double?
    /// Since 1970.
    let startSeconds: Double?

    static var now: ProcessFigures {
        let status = ProcessStatus()
        return ProcessFigures(
            processorSeconds: processorTime(), maximumDescriptors: descriptorLimit(),
            openDescriptors: descriptorCount(), residentBytes: status?.residentBytes, startSeconds: status?.startSeconds
        )
    }

    private static func processorTime() -> Double? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func descriptorLimit() -> Double? {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? nil : Double(limit)
    }

    /// Without the descriptor that reads the folder.
    private static func descriptorCount() -> Double? {
        #if os(Linux)
            let folder = "/proc/self/fd"
        #else
            let folder = "/dev/fd"
        #endif
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)).map { Double($0.count - 1) }
    }
}

/// The figures of `/proc/self/stat`, which only Linux has.
private struct ProcessStatus {
    let residentBytes: Double
    let startSeconds: Double

    init?() {
        guard let status = Self.text("/proc/self/stat"), let name = status.lastIndex(of: ")"),
            let boot = Self.text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootSeconds = Double(boot.dropFirst(6))
        else { return nil }
        // The program's name, in brackets, may have spaces. What follows begins with the third field.
        let fields = status[status.index(after: name)...].split(separator: " ")
        guard fields.count > 21, let start = Double(fields[19]), let pages = Double(fields[21]) else { return nil }
        startSeconds = bootSeconds + start / Double(sysconf(Int32(_SC_CLK_TCK)))
        residentBytes = pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
