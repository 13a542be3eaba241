#if canImport(Darwin)
    import Dispatch
    import Foundation
    public import Settle

    extension SettingsStore {
        /// Saves everything while the app goes to the background, up to the readable file, so that nothing is left to do and no file
        /// is locked once the process is suspended.
        ///
        /// Returns at once. The system is asked to let the process run until all is saved, which takes milliseconds; it may
        /// refuse, and then everything is saved when the app runs again. A failure is told by ``status`` and tried again. Call it where
        /// the system says that the app goes to the background: in `sceneDidEnterBackground(_:)`, or for a notification.
        public func saveInBackground() {
            let reason = "Saving settings"
            #if os(macOS)
                // Nobody is suspended here, but whoever is idle may be ended.
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
                try? await self.flush(toFile: true)
                isDone.signal()
            }
            isDone.wait()
        }
    }
#endif
