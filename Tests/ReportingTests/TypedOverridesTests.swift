import Testing

@testable import Reporting

@Suite("What changed a scenario, as it is typed")
struct TypedOverridesTests {
    @Test(
        "options and variables are told as they are typed",
        arguments: [
            ("--devices --devices=3", "--devices 3"),
            ("BEACONSWARM_DEVICES --devices=3", "BEACONSWARM_DEVICES=3"),
            ("--duration /duration=\"1d\"", "--duration 1d"),
            ("BEACONSWARM_SEED /seed=9", "BEACONSWARM_SEED=9"),
            ("--set /populations/0/devices=1", "--set /populations/0/devices=1"),
            ("--set /drain=\"2s\"", "--set '/drain=\"2s\"'"),
            ("BEACONSWARM_SET /a=[1]", "BEACONSWARM_SET='/a=[1]'"),
            ("--vary /a=1", "--vary /a=1"), ("--insecure /target/tls/insecure=true", "--insecure"),
            ("--target /target/url=\"http://a/?b=c d\"", "--target 'http://a/?b=c d'"),
            ("variant it's /a/b=2", "--variant 'it'\\''s'"), ("nothing of ours", "nothing of ours"),
            (
                "code /populations/0/sdk/services/encryption=Mine",
                "code /populations/0/sdk/services/encryption=Mine"
            ),
        ])
    func one(override: String, typed: String) {
        let reference = Report.ScenarioReference(
            name: "x", description: "", sha256: "0", overrides: [override])
        #expect(reference.typedOverrides == [typed])
    }

    @Test("an option that changes several places is told once, on the page too")
    func once() {
        var report = Fixtures.outage()
        report.scenario.overrides = [
            "--target /target/url=\"http://a/\"", "--target /populations/0/target/url=\"http://a/\"",
            "--devices --devices=3",
        ]
        #expect(report.scenario.typedOverrides == ["--target http://a/", "--devices 3"])
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.contains("--devices 3<") && !page.contains("--devices --devices"))
    }
}
