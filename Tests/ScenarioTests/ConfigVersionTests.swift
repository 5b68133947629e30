import Testing

@testable import Scenario

@Suite("Versions of served configurations")
struct ConfigVersionTests {
    private func warnings(_ timeline: String, enabled: Bool = true) throws -> [String] {
        let sdk =
            #""sdk": {"remoteConfig": {"enabled": \#(enabled), "minInterval": "0s", "maxInterval": "0s"}}"#
        let population = #""version": "4.9.1", \#(sdk)"#
        return try document(scenario(#""timeline": [\#(timeline)]"#, population: population)).warnings
            .filter { $0.pointer.hasSuffix("/v") }.map(\.pointer)
    }

    @Test("one that was served before with other content never reaches those who have it")
    func again() throws {
        let disabled = #"{"at": "10s", "remoteConfig": {"v": "0", "disableSDK": true}}"#
        #expect(try warnings(disabled) == ["/timeline/0/remoteConfig/v"])
        let (first, second) = (
            #"{"at": "20s", "remoteConfig": {"v": "7", "autoTrackMode": 3}}"#,
            #"{"at": "30s", "for": "5s", "remoteConfig": {"v": "7", "autoTrackMode": 1}}"#
        )
        #expect(try warnings("\(first), \(second)") == ["/timeline/1/remoteConfig/v"])
        // What comes first is a matter of time.
        #expect(try warnings("\(second), \(first)") == ["/timeline/0/remoteConfig/v"])
    }

    @Test(
        "one that is new, or the same, or the first that anybody fetches, does",
        arguments: [
            #"{"at": "10s", "remoteConfig": {"v": "7", "disableSDK": true}}"#,
            #"{"at": "10s", "remoteConfig": {"v": "0"}}"#,
            #"{"at": "0s", "remoteConfig": {"v": "0", "disableSDK": true}}"#,
            #"{"at": "1s", "remoteConfig": {"v": "7"}}, {"at": "9s", "remoteConfig": {"v": "7"}}"#,
            #"{"at": "10s", "remoteConfig": {"disableSDK": true}}"#,
        ])
    func sound(timeline: String) throws {
        #expect(try warnings(timeline).isEmpty)
    }

    @Test("means nothing to those who fetch none")
    func unfetched() throws {
        let entry = #"{"at": "10s", "remoteConfig": {"v": "0", "disableSDK": true}}"#
        #expect(try warnings(entry, enabled: false).isEmpty)
    }
}
