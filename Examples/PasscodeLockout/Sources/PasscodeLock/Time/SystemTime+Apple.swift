#if canImport(Darwin)
    import Darwin

    extension SystemTime {
        /// The name that the kernel gives to each boot.
        static func bootID() throws -> String {
            let name = "kern.bootsessionuuid"
            var size = 0
            guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 1 else {
                throw MachineTimeError(description: "“\(name)” can't be read (error \(errno)).")
            }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else {
                throw MachineTimeError(description: "“\(name)” can't be read (error \(errno)).")
            }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }

        /// The clock behind `ContinuousClock`, as a number that another process can compare.
        static func uptime() throws -> Duration {
            var time = timespec()
            guard clock_gettime(CLOCK_MONOTONIC_RAW, &time) == 0 else {
                throw MachineTimeError(description: "The continuous clock can't be read (error \(errno)).")
            }
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }
#endif
