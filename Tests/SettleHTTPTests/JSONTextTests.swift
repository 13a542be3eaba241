import Settle
import Testing

@testable import SettleHTTP

@Suite(.timeLimit(.minutes(10))) struct JSONTextTests {
    private struct Group: SettingsGroup {
        @Setting var ratio = Double.infinity
        @Setting var name = "fine"
    }

    /// An array in arrays.
    private func nested(_ depth: Int) -> SettingValue {
        (1..<depth).reduce(SettingValue.array([])) { value, _ in .array([value]) }
    }

    @Test("Only what JSON can't spell becomes null") func onlyUnspellableNull() {
        let values = SettingValue.dictionary([
            "fine": .integer(1), "infinite": .real(.infinity), "list": .array([.real(.nan), .string("x")]),
        ])
        #expect(values.jsonText == #"{"fine":1,"infinite":null,"list":[null,"x"]}"#)
        #expect(SettingValue.real(.infinity).jsonText == "null")
    }

    @Test("Of a value that is too deep, only the innermost levels become null", arguments: [126, 127, 128])
    func tooDeepValue(depth: Int) {
        // Around a value, a listing has three levels, and JSON has 128 altogether.
        let entry = SettingValue.dictionary(["key": .string("extra"), "value": nested(depth)])
        let other = SettingValue.dictionary(["key": .string("fine")])
        let text = SettingValue.dictionary(["settings": .array([entry, other])]).jsonText
        let (opening, closing) = (String(repeating: "[", count: 125), String(repeating: "]", count: 125))
        #expect(text == #"{"settings":[{"key":"extra","value":\#(opening)null\#(closing)},{"key":"fine"}]}"#)
    }

    @Test("A listing shows every other setting beside one that JSON can't spell") func listingShowsOthers()
        async
        throws
    {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let api = SettingsAPI(store, groups: Group.self, configuration: .init(access: .open))
        let request = WebRequest(method: "GET", target: "/settings", headers: [("Host", "localhost")])
        let answer = Answer(response: await api.respond(to: request))
        #expect(answer.status == 200 && answer.array("settings").contains { $0["value"] == .string("fine") })
        try await store.close()
    }
}
