import Hummingbird
import Settle

extension ServiceError {
    /// The response to a change that was refused or could not be saved.
    ///
    /// - Parameter status: A status that says more than that of the error's code.
    init(settings error: SettingsError, status: HTTPResponse.Status?) {
        if let status { self.init(status, error.description) } else { self.init(settings: error) }
    }

    /// The response to a change that was refused or could not be saved.
    init(settings error: SettingsError) {
        switch error.code {
        case .invalidValue, .unusableValue, .notUndoable:
            self.init(.unprocessableContent, error.description)
        case .locked:
            self.init(.conflict, error.description)
        case .storage:
            self.init(
                .serviceUnavailable,
                "The change could not be saved. If GET /settings shows it, it is in effect, and the service goes on trying "
                    + "to save it. \(error.description)",
                headers: [.retryAfter: "5"])
        case .historyUnavailable:
            self.init(.notFound, error.description)
        case .closed:
            self.init(.serviceUnavailable, "The service is shutting down.")
        default:
            self.init(.internalServerError, error.description)
        }
    }
}
