import DeviceSDK
import LiveEngine
import Testing

@Suite("Files of a target's TLS")
struct CredentialTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
        try certificates.issue("server")
    }

    @Test("names each file that cannot be used, and a pair that is none where both can be read")
    func allCredentials() throws {
        try certificates.issue("client")
        try certificates.issue("other")
        func keys(_ authority: String?, _ certificate: String, _ key: String?) -> [String] {
            var target = PopulationPlan.Target.secure(certificates, port: 443)
            target.tls.authorityFile = authority.map(certificates.path)
            target.tls.certificateFile = certificates.path(certificate)
            target.tls.keyFile = key.map(certificates.path)
            return LiveEngine.credentialProblems(of: target).compactMap {
                if case .credentials(let key, _, let fault) = $0 {
                    fault == .notAPair ? "no pair" : key
                } else {
                    nil
                }
            }
        }
        #expect(keys("none.pem", "nor.pem", "never.key") == ["ca", "certificate", "key"])
        #expect(keys("none.pem", "client.pem", "other.key") == ["ca", "no pair"])
        #expect(keys(nil, "client.pem", nil) == ["certificate"], "there is no key in it")
        #expect(keys(nil, "none.pem", nil) == ["certificate"])
        #expect(keys(nil, "client.pem", "client.key") == [])
    }

    @Test("names the file that cannot be used, and why")
    func credentials() throws {
        try certificates.issue("client")
        try certificates.write("nothing", to: "empty.pem")
        try certificates.write("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", to: "locked.key")
        func failure(_ adjust: (inout PopulationPlan.Target.TLSRules) -> Void) -> LiveEngineError? {
            var target = PopulationPlan.Target.secure(certificates, port: 443)
            adjust(&target.tls)
            do throws(LiveEngineError) {
                try LiveEngine.checkCredentials(target)
                return nil
            } catch {
                return error
            }
        }
        func path(_ name: String) -> String { certificates.path(name) }
        #expect(failure { _ in } == nil)
        #expect(
            failure { $0.authorityFile = path("none.pem") }
                == .credentials(
                    key: "ca", file: path("none.pem"), fault: .unreadable("No such file or directory")))
        #expect(
            failure { $0.authorityFile = path("empty.pem") }
                == .credentials(key: "ca", file: path("empty.pem"), fault: .noCertificate))
        #expect(
            failure { $0.certificateFile = path("client.pem") }
                == .credentials(key: "certificate", file: path("client.pem"), fault: .noKey)
        )
        #expect(
            failure {
                $0.certificateFile = path("client.pem")
                $0.keyFile = path("locked.key")
            }
                == .credentials(
                    key: "key", file: path("locked.key"),
                    fault: .encryptedKey))
        #expect(
            failure {
                $0.certificateFile = path("client.pem")
                $0.keyFile = path("server.key")
            }
                == .credentials(
                    key: "key", file: path("server.key"),
                    fault: .notAPair))
    }
}
