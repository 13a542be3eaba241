// A requirement's default that no class may use, so that the compiler refuses a class with a message of this library.

@available(*, unavailable, message: "A group of settings can't be a class or an actor: declare it as a struct.")
extension SettingsGroup where Self: AnyObject {
    public static var access: SettingsAccess { refusedByCompiler() }
}
