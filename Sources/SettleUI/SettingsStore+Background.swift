#if canImport(Darwin)
    import Dispatch
    import Foundation
    public import Settle

    extension SettingsStore {
        /// Saves everything, including the readable file, while the app goes to the background, so that no work is left
        /// and no file is locked once the process is suspended.
        ///
        /// Returns immediately. It asks the system to let the process run until everything is saved, which takes
        /// milliseconds. If the system refuses, everything is saved when the app runs again. A failure appears in
        /// ``status``, and the save is tried again. Call it where the system reports that the app goes to the
        /// background: in `sceneDidEnterBackground(_:)`, or on a notification.
        ///
        /// - Note: Not settled: it has only been type-checked for Apple platforms, and a version 0.x may still change
        ///   it.
        public func saveInBackground() {
            let reason = "Saving settings"
            #if os(macOS)
                // macOS suspends no processes, but may end idle ones.
                DispatchQueue.global().async {
                    ProcessInfo.processInfo.performActivity(
                        options: [.suddenTerminationDisabled, .automaticTerminationDisabled], reason: reason
                    ) { self.saveAndWait() }
                }
            #else
                ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { hasExpired in
                    // The process runs until this returns, unless its time is up.
                    if !hasExpired { self.saveAndWait() }
                }
            #endif
        }

        private func saveAndWait() {
            let isDone = DispatchSemaphore(value: 0)
            Task {
                try? await self.file.flush()
                isDone.signal()
            }
            isDone.wait()
        }
    }
#endif
