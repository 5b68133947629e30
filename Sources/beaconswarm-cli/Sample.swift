import ArgumentParser
import Beaconswarm

struct Sample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints one request of each population: raw, decoded, and as a curl command.",
        discussion: """
            Secrets are masked: put the right one in the place of each [redacted] before you try a command. Of a body or \
            a query in which a secret is packed, nothing is shown. For an https target whose certificate is not to be \
            verified, curl gets -k.
            """)

    @OptionGroup var scenario: ScenarioOptions

    mutating func run() async throws {
        let source = scenario.source
        try await finish { try await Beaconswarm.sample(source) }
    }
}
