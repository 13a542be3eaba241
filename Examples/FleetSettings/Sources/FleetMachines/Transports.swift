package import EtcdHTTP

/// Makes a transport, and shuts it down whatever happens.
package func withTransport<Result>(_ body: (EtcdHTTPTransport) async throws -> Result) async throws -> Result {
    let transport = try EtcdHTTPTransport()
    do {
        let result = try await body(transport)
        try await transport.shutdown()
        return result
    } catch {
        try await transport.shutdown()
        throw error
    }
}
