import Settle
import SettleInterchange

/// The key that a user means by a text.
enum KeyArgument {
    /// Returns the key: a declared one first, then one that is stored under that very name, then a path. A new key is a
    /// path, unless it is to be literal.
    static func key(
        _ text: String, isLiteral: Bool, _ declared: DeclaredSettings, _ values: SettingTree
    ) throws(CommandFailure) -> SettingKey {
        let literal = SettingKey.path(text)
        guard let path = SettingKey(text) else {
            if !text.isEmpty, isLiteral || values[literal] != nil { return literal }
            throw CommandFailure(.usage, "“\(text)” can't be a key: neither it nor a part between dots may be empty.")
        }
        if isLiteral { return literal }
        if declared[path] != nil { return path }
        return values[literal] != nil ? literal : path
    }
}
