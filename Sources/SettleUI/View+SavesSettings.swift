#if canImport(SwiftUI)
    public import Settle
    public import SwiftUI

    extension View {
        /// Saves everything in a store when the scene of this view goes to the background.
        ///
        /// ```swift
        /// WindowGroup {
        ///     ContentView().savesSettings(store)
        /// }
        /// ```
        ///
        /// See ``SettingsStore/saveInBackground()``, which does the same for apps without SwiftUI.
        ///
        /// - Note: Not settled: it has only been type-checked for Apple platforms, and a version 0.x may still change
        ///   it.
        public func savesSettings(_ store: SettingsStore) -> some View {
            modifier(SavesSettings(store: store))
        }
    }

    private struct SavesSettings: ViewModifier {
        let store: SettingsStore
        @Environment(\.scenePhase) private var phase

        func body(content: Content) -> some View {
            content.onChange(of: phase) { _, phase in
                if phase == .background { store.saveInBackground() }
            }
        }
    }
#endif
