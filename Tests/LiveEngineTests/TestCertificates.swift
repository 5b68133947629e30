import DeviceSDK
import Foundation
import TestSupport
import Testing

/// Certificates of a test, made by `openssl` in a folder of their own and gone with it.
final class TestCertificates: Sendable {
    let folder: String

    init() throws {
        folder = TestFolder.newPath("beaconswarm-tls")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for authority in ["ca", "other-ca"] {
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "30", "-subj", "/CN=\(authority)", "-keyout", path("\(authority).key"), "-out",
                path("\(authority).pem"))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { folder + "/" + name }

    /// Makes `<name>.pem` and `<name>.key`.
    ///
    /// - Parameter names: As `openssl` writes them, such as `DNS:localhost,IP:127.0.0.1`.
    func issue(_ name: String, names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 30) throws {
        try "subjectAltName=\(names)\n".write(
            toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", path("\(name).key"), "-out", path("\(name).csr"))
        try openssl(
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
            "-set_serial", "\(UInt32.random(in: 1...(.max)))", "-days", "\(days)", "-extfile",
            path("\(name).ext"), "-out", path("\(name).pem"))
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0, "openssl: \(String(decoding: said, as: UTF8.self))")
    }
}

extension PopulationPlan.Target {
    /// A target on this machine that trusts the test's authority.
    static func secure(
        _ certificates: TestCertificates, host: String = "localhost", port: Int,
        authority: String? = "ca.pem"
    ) -> PopulationPlan.Target {
        var target = PopulationPlan.Target(
            scheme: "https", host: host, port: port, pathAndQuery: "/sa?project=p")
        target.tls.authorityFile = authority.map(certificates.path)
        return target
    }
}
