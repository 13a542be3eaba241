import Foundation

/// A child's orders, passed as JSON on the command line.
enum ChildOrder: Codable, Sendable {
    case inspect(InspectingChild)
    case kill(KilledChild)
    case race(RacingChild)
    case fillDisk(DiskChild)
    case rewrite(RewritingChild)
    case read(ReadingChild)
    case edited(EditedChild)
    case register(RegisterChild)
    case stamp(StampingChild)
    case receive(ReceivingChild)
    case migrate(MigratingChild)
    case author(AuthoringChild)
    case follow(FollowingChild)
    case recall(RecallingChild)
    case keep(KeepingChild)
    case power(PowerChild)
    case confirm(ConfirmingChild)
    case confirmed(ConfirmedChild)

    private var role: any ChildRole {
        switch self {
        case .inspect(let role): role
        case .kill(let role): role
        case .race(let role): role
        case .fillDisk(let role): role
        case .rewrite(let role): role
        case .read(let role): role
        case .edited(let role): role
        case .register(let role): role
        case .stamp(let role): role
        case .receive(let role): role
        case .migrate(let role): role
        case .author(let role): role
        case .follow(let role): role
        case .recall(let role): role
        case .keep(let role): role
        case .power(let role): role
        case .confirm(let role): role
        case .confirmed(let role): role
        }
    }

    /// Carries out the order. An error is acknowledged as “failed”, with its text.
    func run() async throws {
        let acknowledgements = try AcknowledgementFile(path: role.place.acknowledgements)
        do {
            try await role.run(acknowledgements)
        } catch {
            acknowledgements.add("failed", text: "\(error)")
            throw error
        }
    }

    var place: ChildPlace { role.place }

    var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    init(text: String) throws {
        self = try JSONDecoder().decode(ChildOrder.self, from: Data(text.utf8))
    }
}
