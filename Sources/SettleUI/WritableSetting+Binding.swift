#if canImport(SwiftUI)
    public import Settle
    public import SwiftUI

    extension WritableSetting {
        /// A binding to the setting or the part, for SwiftUI controls.
        ///
        /// ```swift
        /// TextField("Name", text: settings.$name.binding)
        /// Slider(value: settings.$frame.width.binding, in: 10...400)
        /// ```
        ///
        /// A view that reads it is updated when the setting changes, whatever the origin of the change. A value that
        /// breaks the setting's rule, or can't be written, leaves the old value in force and is reported on
        /// ``SettingsStore/issues``.
        ///
        /// - Note: Not settled: it has only been type-checked for Apple platforms, and a version 0.x may still change
        ///   it.
        public var binding: Binding<Value> {
            Binding {
                trackedValue
            } set: { newValue in
                value = newValue
            }
        }
    }
#endif
