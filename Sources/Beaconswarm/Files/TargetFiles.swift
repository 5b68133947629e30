import DeviceSDK
import LiveEngine
import Scenario

/// Reads the files that a scenario's targets name for TLS.
enum TargetFiles {
    /// What reads them where relative names begin at a folder.
    static func checker(in folder: String) -> TargetFileChecker {
        { target in
            var named = target
            named.tls.resolve(in: folder)
            return LiveEngine.credentialProblems(of: named).compactMap(problem)
        }
    }

    private static func problem(_ error: LiveEngineError) -> TargetFileProblem? {
        guard case .credentials(let key, _, let fault) = error else { return nil }
        return TargetFileProblem(
            kind(of: fault), key: key, reason: "\(fault)", allowed: allowed(instead: fault))
    }

    private static func kind(of fault: CredentialFault) -> Problem.Kind {
        switch fault {
        case .unreadable: .unknownName
        case .noCertificate, .noKey, .encryptedKey: .wrongType
        case .notAPair: .conflict
        }
    }

    private static func allowed(instead fault: CredentialFault) -> String {
        switch fault {
        case .unreadable: "a file that can be read; relative names begin at the scenario's folder"
        case .noCertificate: "a file with certificates in PEM"
        case .noKey: "a file with a private key in PEM"
        case .encryptedKey: "a private key in PEM without a passphrase"
        case .notAPair: "the certificate's own key"
        }
    }
}
