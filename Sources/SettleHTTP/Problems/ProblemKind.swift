/// The kinds of problems that a response reports. Their names are stable: clients may compare them.
enum ProblemKind: String, Sendable, CaseIterable {
    case invalidRequest = "invalid-request"
    case unknownParameter = "unknown-parameter"
    case invalidBody = "invalid-body"
    case missingToken = "missing-token"
    case closed
    case notPermitted = "not-permitted"
    case ownerOnly = "owner-only"
    case foreignPage = "foreign-page"
    case notFound = "not-found"
    case unknownSetting = "unknown-setting"
    case unknownTransaction = "unknown-transaction"
    case noHistory = "no-history"
    case methodNotAllowed = "method-not-allowed"
    case locked
    case nothingToUndo = "nothing-to-undo"
    case keyInUse = "idempotency-key-in-use"
    case forgottenTransaction = "forgotten-transaction"
    case changed
    case bodyTooLarge = "body-too-large"
    case targetTooLong = "target-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case wrongHost = "wrong-host"
    case invalidValue = "invalid-value"
    case notUndoable = "not-undoable"
    case keyReused = "idempotency-key-reused"
    case headerTooLarge = "header-too-large"
    case internalError = "internal-error"
    case notImplemented = "not-implemented"
    case notSaved = "not-saved"
    case notReady = "not-ready"
    case closing
    case tooManyStreams = "too-many-streams"

    /// The URI of the kind.
    var type: String { "urn:settle:problem:\(rawValue)" }

    var status: Int {
        switch self {
        case .invalidRequest, .unknownParameter, .invalidBody: 400
        case .missingToken: 401
        case .closed, .notPermitted, .ownerOnly, .foreignPage: 403
        case .notFound, .unknownSetting, .unknownTransaction, .noHistory: 404
        case .methodNotAllowed: 405
        case .locked, .nothingToUndo, .keyInUse: 409
        case .forgottenTransaction: 410
        case .changed: 412
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .wrongHost: 421
        case .invalidValue, .notUndoable, .keyReused: 422
        case .headerTooLarge: 431
        case .internalError: 500
        case .notImplemented: 501
        case .notSaved, .notReady, .closing, .tooManyStreams: 503
        }
    }

    var title: String {
        switch self {
        case .invalidRequest: "The request is not valid."
        case .unknownParameter: "The query has a parameter that this route does not have."
        case .invalidBody: "The body is not valid."
        case .missingToken: "The token is missing or wrong."
        case .closed: "The API is closed, because no token is set."
        case .notPermitted: "The token does not permit this."
        case .ownerOnly: "Only the program changes this setting."
        case .foreignPage: "The request comes from a page of another site."
        case .notFound: "There is no such route."
        case .unknownSetting: "There is no such setting."
        case .unknownTransaction: "There is no such transaction."
        case .noHistory: "The store keeps no history."
        case .methodNotAllowed: "The route does not have this method."
        case .locked: "The setting is locked."
        case .nothingToUndo: "Everything has changed since."
        case .keyInUse: "The request with this idempotency key is still being answered."
        case .forgottenTransaction: "The transaction is no longer known."
        case .changed: "Something has changed since."
        case .bodyTooLarge: "The body is too large."
        case .targetTooLong: "The path and the query are too long."
        case .unsupportedMediaType: "The body has a media type that is not supported."
        case .wrongHost: "The server is not reached by this name."
        case .invalidValue: "The value is not valid."
        case .notUndoable: "The transaction can't be undone."
        case .keyReused: "The idempotency key belongs to another request."
        case .headerTooLarge: "The header is too large."
        case .internalError: "The request could not be answered."
        case .notImplemented: "The method or the coding is not implemented."
        case .notSaved: "The change could not be saved."
        case .notReady: "The program should receive no requests now."
        case .closing: "The program is shutting down."
        case .tooManyStreams: "Too many streams are open."
        }
    }
}
