#if os(Linux) || os(Android)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #elseif canImport(Bionic)
        import Bionic
    #endif

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension SystemTime {
        private static let bootIDFile = "/proc/sys/kernel/random/boot_id"

        /// The random name that the kernel gives to each boot.
        static func bootID() throws -> String {
            let text = try String(contentsOf: URL(filePath: bootIDFile), encoding: .utf8)
            guard let id = UUID(uuidString: String(text.prefix(36))) else {
                throw MachineTimeError(description: "“\(bootIDFile)” does not hold the name of a boot.")
            }
            return id.uuidString
        }

        /// The clock behind `ContinuousClock`, as a number that another process can compare.
        static func uptime() throws -> Duration {
            var time = timespec()
            guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else {
                throw MachineTimeError(description: "The boot time clock can't be read (error \(errno)).")
            }
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }
#endif
