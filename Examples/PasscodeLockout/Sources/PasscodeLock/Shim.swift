enum SettingsAccess { case owner }
