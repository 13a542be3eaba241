import Foundation
import Settle

/// A setting of each type that swift-configuration knows, and of some that it does not.
struct ServiceSettings: SettingsGroup {
    @Setting(in: 1...65_535) var port = 8_080
    @Setting var host = "localhost"
    @Setting var ratio = 0.5
    @Setting var isVerbose = false
    @Setting var salt = Data()
    @Setting var hosts: [String] = []
    @Setting var ports: [Int] = []
    @Setting var ratios: [Double] = []
    @Setting var flags: [Bool] = []
    @Setting var salts: [Data] = []
    @Setting var timeout: Duration = .seconds(30)
    @Setting var start = Date(timeIntervalSince1970: 0)
    @Setting var mode = Mode.quick
    @Setting var limits: [String: Int] = [:]
    @Setting var token = Secret("none")
}

enum Mode: String, Codable, Sendable, CaseIterable {
    case quick, thorough
}
