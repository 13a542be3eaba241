#if canImport(SwiftUI)
    public import Settle
    public import SwiftUI

    extension SettingReference {
        /// A binding to the setting, for a control of SwiftUI.
        ///
        /// ```swift
        /// TextField("Name", text: settings.$name.binding)
        /// ```
        ///
        /// A view that reads it is updated when the setting changes, whoever has changed it. A value against the setting's rule
        /// leaves the old value and is reported on ``SettingsStore/issues``.
        public var binding: Binding<Value> {
            Binding {
                trackedValue
            } set: { newValue in
                value = newValue
            }
        }
    }

    extension SettingPart {
        /// A binding to the part, for a control of SwiftUI, such as `$frame.width.binding`.
        ///
        /// A view that reads it is updated when the setting changes. What can't be written leaves the old value and is reported on
        /// ``SettingsStore/issues``.
        public var binding: Binding<Value> {
            Binding {
                trackedValue
            } set: { newValue in
                value = newValue
            }
        }
    }
#endif
