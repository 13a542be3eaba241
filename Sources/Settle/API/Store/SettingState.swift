/// The state of a declared setting at one moment, without its declaration; see ``SettingInfo`` for each part.
package struct SettingState: Sendable {
    package let value: SettingValue?
    package let defaultValue: SettingValue?
    package let origin: ValueOrigin
    package let domain: DomainName
    package let isCovered: Bool
    package let lock: String?
    package let problem: SettingInfo.Problem?
}
