import EtcdHTTP
import FleetMachines
import Foundation
import Settle
import SettleEtcd
import SettleTesting
import Testing

/// Encrypted connections, and clients that show a certificate.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct EncryptionTests {
    @Test("A client needs the authority and its own certificate") func clientCertificate() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificates = try makeCertificates(in: folder)
        let cluster = try RealCluster(members: 1, certificates: certificates)
        try await cluster.ready()
        var configuration = EtcdConfiguration(endpoints: cluster.endpoints, prefix: "/fleet/tls/")
        configuration.start = .withClusterOnly

        let good = try EtcdHTTPTransport(
            tls: .init(
                authority: certificates.authority, certificate: (chain: certificates.certificate, key: certificates.key)
            ))
        let storage = EtcdStorage(configuration, transport: good)
        _ = try await storage.load()
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        #expect(try cluster.control("get", "/fleet/tls/a", "--print-value-only") == "1\n")
        await storage.close()
        try await good.shutdown()

        for tls in [EtcdHTTPTransport.TLS(), .init(authority: certificates.authority)] {
            let bad = try EtcdHTTPTransport(tls: tls)
            let storage = EtcdStorage(configuration, transport: bad)
            let error = await #expect(throws: StorageError.self) { _ = try await storage.load() }
            #expect(error?.code == .unavailable)
            await storage.close()
            try await bad.shutdown()
        }
    }

    @Test("Many stores follow over encrypted connections") func manyStores() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificates = try makeCertificates(in: folder)
        let cluster = try RealCluster(members: 1, certificates: certificates)
        try await cluster.ready()
        let transport = try EtcdHTTPTransport(
            tls: .init(
                authority: certificates.authority, certificate: (chain: certificates.certificate, key: certificates.key)
            ))
        var stores: [SettingsStore] = []
        for _ in 0..<20 {
            let configuration = EtcdConfiguration(endpoints: cluster.endpoints, prefix: "/fleet/tls/")
            stores.append(
                try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport)))
        }
        let first = try await stores[0].group(RealClusterTests.Counter.self)
        for number in 1...3 {
            if number == 2 {
                // With the streams open, too.
                try cluster.control("put", "/fleet/tls/count", "2")
            } else {
                try await first.commit { first.count = number }
            }
            for store in stores {
                let settings = try await store.group(RealClusterTests.Counter.self)
                for await count in settings.$count where count == number { break }
            }
        }
        for store in stores { try await store.close() }
        try await transport.shutdown()
    }

    private func makeCertificates(in folder: URL) throws -> RealCluster.Certificates {
        func path(_ name: String) -> String { folder.appending(path: name).path }
        try Data("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n".utf8)
            .write(to: folder.appending(path: "extensions"))
        try openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout",
            path("ca.key"), "-out", path("ca.pem"))
        try openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=member", "-keyout", path("member.key"), "-out",
            path("member.csr"))
        try openssl(
            "x509", "-req", "-in", path("member.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
            "-CAcreateserial", "-days", "2", "-extfile", path("extensions"), "-out", path("member.pem"))
        return RealCluster.Certificates(
            authority: path("ca.pem"), certificate: path("member.pem"), key: path("member.key"))
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
