public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SearchList {
    /// Where the service's settings come from, highest first: an administrator's file, which locks its keys; arguments;
    /// variables that begin with `LIVE_`, of the process or in a file; a folder of secrets; and the service's own file,
    /// the only one that is written.
    ///
    /// - Parameters:
    ///   - variables: The variables; by default those of the process.
    ///   - secrets: The folder with a file for each secret. By default that of systemd's credentials.
    public static func service(
        arguments: [String] = [], variables: [String: String]? = nil, environmentFile: URL? = nil, secrets: URL? = nil,
        managed: URL? = nil
    ) -> SearchList {
        let locking = managed.map { [Domain.managed(in: $0)] } ?? []
        let file = environmentFile.map { [Domain.environmentFile(at: $0, prefix: "LIVE")] } ?? []
        return SearchList(
            locking + [.arguments(arguments), .environment(prefix: "LIVE", variables: variables)] + file
                + [.secrets(in: secrets), .application])
    }
}
