#if canImport(SwiftUI)
    public import Settle
    public import SwiftUI

    extension SettingReference {
        /// A binding to the setting, for SwiftUI controls.
        ///
        /// ```swift
        /// TextField("Name", text: settings.$name.binding)
        /// ```
        ///
        /// A view that reads it is updated when the setting changes, whatever the origin of the change. A value that
        /// breaks the setting's rule leaves the old value and is reported on ``SettingsStore/issues``.
        public var binding: Binding<Value> {
            Binding {
                trackedValue
            } set: { newValue in
                value = newValue
            }
        }
    }

    extension SettingPart {
        /// A binding to the part, for SwiftUI controls, such as `$frame.width.binding`.
        ///
        /// A view that reads it is updated when the setting changes. A value that can't be written leaves the old value
        /// and is reported on ``SettingsStore/issues``.
        public var binding: Binding<Value> {
            Binding {
                trackedValue
            } set: { newValue in
                value = newValue
            }
        }
    }
#endif
