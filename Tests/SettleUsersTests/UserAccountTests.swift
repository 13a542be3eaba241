import Foundation
import Testing

@testable import Settle
@testable import SettleUsers

@Suite(.timeLimit(.minutes(10))) struct UserAccountTests {
    @Test(
        "Users whom the system does not know are none, whatever their names look like",
        arguments: ["", "no such user", "../root", "root\0", "root:x", String(repeating: "x", count: 100_000)])
    func unknown(name: String) throws {
        // Some systems refuse what can't be a name.
        #expect((try? UserAccount(named: name)) == nil)
    }

    @Test("The user of the process is known, with number, group and home") func current() throws {
        // The number of a container's user may have no name.
        let name = NSUserName()
        guard let account = try UserAccount(named: name) else { return }
        #expect(account.name == name)
        #expect(account.owner.user == currentUserID())
        #expect(account.home.text.hasPrefix("/"))
    }

    #if os(Linux)
        @Test("The superuser's home is what the user database says, whatever the variables say") func root() throws {
            let root = try #require(try UserAccount(named: "root"))
            #expect(root.owner == FileStatus.Owner(user: 0, group: 0) && root.home.text == "/root")
        }
    #endif
}
