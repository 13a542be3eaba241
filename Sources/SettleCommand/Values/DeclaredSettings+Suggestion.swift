import Settle
import SettleInterchange

extension DeclaredSettings {
    /// - Throws: ``CommandFailure`` if there is no setting with the key, with the nearest one.
    func unknown(_ key: SettingKey) -> CommandFailure {
        let near = Suggestion.nearest(to: key.description, among: all.map(\.key.description))
        return CommandFailure(
            .refused, "There is no setting “\(key)”.\(Suggestion.question(near)) Use --force to write it anyway.")
    }
}
