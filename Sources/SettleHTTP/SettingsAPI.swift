public import Settle
import SettleInterchange
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings of a program over HTTP, on any server: read, write, follow, undo, health, metrics and an OpenAPI
/// document.
///
/// ```swift
/// let api = SettingsAPI(
///     store, groups: AppSettings.self,
///     configuration: .init(access: .tokens(.setting(settings.admin.$token, name: "admin"))))
/// let response = await api.respond(to: request)            // for each request that it serves
/// ```
///
/// The store checks each value, so a client can't store one that the program could not. Locked and owner-only settings
/// (`SettingsAccess.owner`) are shown and can't be changed, and a secret's value is never shown. A change that is
/// answered with 200 is on stable storage.
///
/// The guide <doc:SettingsOverHTTP> describes the routes.
public final class SettingsAPI: WebResponder {
    private let parts: APIParts
    private let types: [any SettingsGroup.Type]
    private let groups = Mutex<[any SettingsGroup]>([])
    private let table: RouteTable
    private let check: RequestCheck
    private let base: String

    /// Creates an API for the settings that groups declare.
    ///
    /// - Parameters:
    ///   - store: The program's store. The API keeps it open.
    ///   - groups: The groups that declare the settings. Groups that are already open may be left out.
    ///   - configuration: The location of the API, its access and its limits.
    public init(_ store: SettingsStore, groups: any SettingsGroup.Type..., configuration: Configuration) {
        let parts = APIParts(store, configuration)
        (self.parts, types, table) = (parts, groups, RouteTable(parts))
        (check, base) = (RequestCheck(configuration), configuration.base)
    }

    /// The location of the API, its access and its limits.
    public var configuration: Configuration { parts.configuration }

    /// The path of the API, above `/settings`, without a slash at its end; empty for the server's root.
    public var path: String { base }

    /// The largest body of a request, in bytes.
    public var bodySizeLimit: Int { configuration.bodySizeLimit }

    /// Returns whether it has a route for a target, which is the whole one of the request line.
    public func serves(_ target: String) -> Bool {
        guard target.utf8.starts(with: base.utf8) else { return false }
        let rest = target.utf8.dropFirst(base.utf8.count).prefix { $0 != UInt8(ascii: "?") }
        return table.path(of: RequestTarget.segments(of: Substring(rest))) != nil
    }

    /// Answers a request. It never throws: a failure becomes a response.
    public func respond(to request: WebRequest) async -> WebResponse {
        let exchange = Exchange(request, at: configuration.now())
        do {
            let response = try await answer(exchange)
            return completed(response, of: exchange)
        } catch {
            return completed(error, of: exchange)
        }
    }

    /// Returns the name that belongs to a request's token, under which its changes are stored; `nil` if its client is
    /// not admitted. For routes of the program with the same access.
    ///
    /// A token that may only read admits to `GET`, `HEAD` and `OPTIONS`. One of some keys admits to none of these
    /// routes, because they may be about anything. The host name is checked as for the API's own routes.
    public func author(of request: WebRequest) -> String? {
        guard (try? configuration.hostCheck.check(request)) != nil, let client = try? admit(request),
            client.reachesEverything, client.canWrite || request.isSafe
        else { return nil }
        return client.name
    }

    /// Returns the OpenAPI 3.1 document of exactly what is mounted, with the settings' own schemas, as the route
    /// `/openapi.json` does.
    public func openAPIDocument() async throws -> SettingValue {
        try await open()
        return .dictionary(document.json)
    }

    /// Returns a program's own OpenAPI document with the paths and components of the API added.
    public func openAPIDocument(mergedInto document: SettingValue) async throws -> SettingValue {
        try await open()
        return self.document.merged(into: document)
    }

    private var document: OpenAPIDocument {
        OpenAPIDocument(
            routes: table.routes, settings: parts.store.file.schema().settings,
            keys: parts.store.settings.map(\.key), configuration: configuration)
    }

    /// Declares the groups when they are first needed, and keeps them.
    private func open() async throws {
        guard !types.isEmpty, groups.withLock({ $0.isEmpty }) else { return }
        var opened: [any SettingsGroup] = []
        for type in types { opened.append(try await parts.store.group(type)) }
        groups.withLock { $0 = opened }
    }
}

// MARK: Answering

extension SettingsAPI {
    private func answer(_ exchange: Exchange) async throws -> WebResponse {
        let admitted = try admit(exchange)
        if admitted.route.needsSettings { try await open(admitted.isOpen, exchange) }
        guard let key = admitted.idempotencyKey else { return try await admitted.route.handle(admitted.call) }
        return try await answer(admitted.call, of: admitted.route, onceFor: key)
    }

    /// Finds the route of a request, and admits its client. Not inlined, so that none of it is in a frame that waits.
    @inline(never)
    private func admit(_ exchange: Exchange) throws -> AdmittedCall {
        let (request, target) = (exchange.request, exchange.target)
        try check.check(request)
        guard let path = table.path(of: target.segments) else {
            throw Problem(.notFound, "There is no route “\(target.path.prefix(200))”.")
        }
        exchange.route = path.routes[0].operation.path
        // All routes of a path have one access.
        let isOpen = path.routes[0].access == .open
        let client = try isOpen ? APIClient(name: configuration.author) : admit(request)
        if !isOpen { exchange.client = client.name }
        let call = APICall(
            request: request, client: client, query: target.query, captures: path.captures(in: target.segments))
        guard request.method != "OPTIONS" else {
            return AdmittedCall(call, .options(of: path.routes), isOpen: isOpen)
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let route = path.routes.first(where: { $0.operation.method == method }) else {
            let methods = Route.methods(of: path.routes)
            var problem = Problem(
                RequestCheck.methods.contains(request.method) ? .methodNotAllowed : .notImplemented,
                "This route has the methods \(methods.joined(separator: ", ")).")
            problem.headers = Route.allowed(methods)
            throw problem
        }
        try RequestCheck.check(target.query, of: route.operation)
        guard client.canWrite || !route.isWrite else {
            throw Problem(.notPermitted, "The token of “\(client.name)” may only read.")
        }
        let key = try route.isWrite ? RequestCheck.idempotencyKey(of: request) : nil
        return AdmittedCall(call, route, isOpen: isOpen, idempotencyKey: key)
    }

    /// Declares the groups. The error is not for everyone who reaches an open route.
    private func open(_ isOpen: Bool, _ exchange: Exchange) async throws {
        do {
            try await open()
        } catch {
            guard isOpen else { throw error }
            exchange.failure = "\(error)"
            throw Self.unknownFailure
        }
    }

    /// Answers a call once, however often it is repeated with the same `Idempotency-Key`.
    @inline(never)
    private func answer(_ call: APICall, of route: Route, onceFor text: String) async throws -> WebResponse {
        let key = IdempotencyStore.Key(client: call.client.name, text: text)
        switch parts.answers.admit(key, call.digest, at: configuration.now()) {
        case .new: break
        case .answered(var response):
            parts.counts.count(.replay)
            response.headers.append(("Idempotency-Replayed", "true"))
            return response
        case .inProgress: throw Problem(.keyInUse, "The first request with this key is still being answered.")
        case .otherRequest: throw Problem(.keyReused, "Another request was sent with this key. Use a new one.")
        }
        do {
            let response = try await route.handle(call)
            parts.answers.finish(key, with: response)
            return response
        } catch {
            // Nothing is written, or it is not known: a repeated request is made again.
            parts.answers.finish(key, with: nil)
            throw error
        }
    }

    /// Returns the client of a request.
    private func admit(_ request: WebRequest) throws(Problem) -> APIClient {
        switch configuration.access {
        case .open:
            if !request.isSafe { try configuration.hostCheck.checkOrigin(of: request) }
            let name = request.user ?? ""
            return APIClient(name: name.isEmpty ? configuration.author : name)
        case .tokens(let tokens):
            guard let token = request.bearerToken else {
                if let reason = tokens.reasonForNone { throw Problem(.closed, reason) }
                throw Self.unauthorized("Send “Authorization: Bearer <token>” with a token of this API.", "")
            }
            if let client = tokens.client(with: token) { return client }
            if let reason = tokens.reasonForNone { throw Problem(.closed, reason) }
            throw Self.unauthorized("The token is none of this API's.", ", error=\"invalid_token\"")
        }
    }

    private static func unauthorized(_ detail: String, _ error: String) -> Problem {
        var problem = Problem(.missingToken, detail)
        problem.headers = [("WWW-Authenticate", "Bearer realm=\"settings\"\(error)")]
        return problem
    }

    private static func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as SettingsError: Problem(error)
        // The client has gone and reads no answer, or the server stops.
        case is CancellationError: Problem(.closing, "The request was cancelled.")
        default: unknownFailure
        }
    }

    private static var unknownFailure: Problem {
        Problem(.internalError, "The request could not be answered. The program's access log has the reason.")
    }
}

// MARK: Recording

extension SettingsAPI {
    /// Returns the response to a request that has failed.
    @inline(never)
    private func completed(_ error: any Error, of exchange: Exchange) -> WebResponse {
        let problem = Self.problem(error)
        if problem.kind == .internalError, exchange.failure == nil { exchange.failure = "\(error)" }
        report(problem, exchange)
        return completed(problem.response(requestID: exchange.id), of: exchange)
    }

    /// Records a response, and returns it with the fields that each one has.
    @inline(never)
    private func completed(_ answer: WebResponse, of exchange: Exchange) -> WebResponse {
        var response = answer
        response.headers.append(("X-Request-ID", exchange.id))
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-store"))
        }
        record(response, exchange)
        return response
    }

    private func report(_ problem: Problem, _ exchange: Exchange) {
        let request = exchange.request
        let reason: APIRefusal.Reason
        switch problem.kind {
        case .closed: reason = .closed
        case .missingToken: reason = request.bearerToken == nil ? .missing : .wrong
        case .notPermitted: reason = .notPermitted
        default: return
        }
        let unreported = parts.refusals.count(reason, at: exchange.start.timeIntervalSinceReferenceDate)
        guard let unreported, let log = configuration.refusalLog else { return }
        log(
            APIRefusal(
                reason: reason, method: request.method.logged(20), path: exchange.target.loggedPath, peer: request.peer,
                requestID: exchange.id, unreported: unreported))
    }

    private func record(_ response: WebResponse, _ exchange: Exchange) {
        let request = exchange.request
        // A client could make up any number of methods.
        let method = RequestCheck.methods.contains(request.method) ? request.method : "other"
        parts.counts.count(
            RequestCounts.Group(method: method, route: exchange.route ?? "none", status: response.status))
        guard let log = configuration.accessLog else { return }
        var size: Int?
        if case .bytes(let bytes) = response.body { size = bytes.count }
        log(
            APIAccess(
                method: request.method.logged(20), path: exchange.target.loggedPath, route: exchange.route,
                status: response.status, size: size,
                duration: .seconds(configuration.now().timeIntervalSince(exchange.start)), client: exchange.client,
                peer: request.peer, requestID: exchange.id, failure: exchange.failure))
    }
}

extension WebRequest {
    /// Whether its method changes nothing.
    fileprivate var isSafe: Bool { ["GET", "HEAD", "OPTIONS"].contains(method) }
}

extension RequestTarget {
    /// The first 200 bytes of the path. The query may have anything in it, even a token.
    fileprivate var loggedPath: String { path.logged(200) }
}

extension String {
    /// The first bytes, with a question mark for each that is not visible ASCII: a line break could forge a line.
    fileprivate func logged(_ limit: Int) -> String {
        String(
            decoding: utf8.prefix(limit).map { (0x21...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension APICall {
    /// A digest of what a repeated request has as well, in this process. The rights of the client are part of it: an
    /// answer may be about keys that are out of its reach now.
    fileprivate var digest: String {
        let fields = ["if-match", "content-type"].map { request.values(of: $0).joined(separator: ",") }
        let head = ["\(request.method) \(request.target)"] + fields + ["\(client.hashValue)", ""]
        return Fingerprint.of(Array(head.joined(separator: "\n").utf8) + request.body)
    }
}

extension RouteTable {
    /// The routes that an API has mounted.
    init(_ parts: APIParts) {
        let reading = ReadRoutes(parts: parts)
        var routes = reading.routes + WriteRoutes(parts: parts, reading: reading).routes
        routes += HistoryRoutes(parts: parts).routes + StreamRoutes(parts: parts).routes
        routes += StatusRoutes(parts: parts).routes + FlagRoutes(parts: parts).routes
        routes.append(.openAPI(parts, describing: routes))
        self.init(routes: routes.filter { $0.access != .off })
    }
}

extension Route {
    /// `OPTIONS` of a path with other routes.
    fileprivate static func options(of routes: [Route]) -> Route {
        let fields = allowed(methods(of: routes))
        return Route(operation: routes[0].operation, needsSettings: false) { _ in WebResponse(204, fields) }
    }

    fileprivate static func methods(of routes: [Route]) -> [String] {
        let methods = Set(routes.map(\.operation.method))
        return methods.union(methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]).sorted()
    }

    fileprivate static func allowed(_ methods: [String]) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [("Allow", methods.joined(separator: ", "))]
        if methods.contains("PATCH") {
            fields.append(("Accept-Patch", "application/json, application/merge-patch+json"))
        }
        return fields
    }

    /// `GET /openapi.json`, which describes the other routes and itself.
    fileprivate static func openAPI(_ parts: APIParts, describing others: [Route]) -> Route {
        let operation = Operation(
            method: "GET", path: "/openapi.json", name: "getOpenAPI", summary: "This document",
            answers: [.ok("The OpenAPI description of the API.", .anyObject)])
        let configuration = parts.configuration
        let own = Route(operation: operation, access: configuration.description) { _ in WebResponse(404) }
        let routes = (others + [own]).filter { $0.access != .off }
        return Route(operation: operation, access: configuration.description) { call in
            let schema = parts.store.file.schema()
            let settings = call.client.reachable(schema.settings, by: \.key, in: parts.store)
            let keys = parts.settings(for: call.client).map(\.key)
            let document = OpenAPIDocument(routes: routes, settings: settings, keys: keys, configuration: configuration)
            return .json(document.json)
        }
    }
}
