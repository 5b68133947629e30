import Testing

@testable import DeviceSDK

@Suite("Headers of a target")
struct TargetHeaderTests {
    private static let own = "User-Agent: SDK: 1\r\nContent-Type: text/plain\r\nX-Empty: \r\n"

    @Test(
        "follow the system's own, and take the place of those of the same name",
        arguments: [
            ([], own),
            ([("X-A", "1"), ("X-B", "")], own + "X-A: 1\r\nX-B: \r\n"),
            ([("user-agent", "mine")], "Content-Type: text/plain\r\nX-Empty: \r\nuser-agent: mine\r\n"),
            (
                [("X-EMPTY", "2"), ("Content", "3")],
                "User-Agent: SDK: 1\r\nContent-Type: text/plain\r\nX-EMPTY: 2\r\nContent: 3\r\n"
            ),
        ])
    func lines(added: [(String, String)], expected: String) {
        var target = PopulationPlan.Target(scheme: "http", host: "h", port: 80, pathAndQuery: "/")
        target.headers = added.map { .init(name: $0.0, value: $0.1) }
        #expect(target.headerLines(after: Self.own) == expected)
        #expect(target.headerLines(after: "") == added.map { "\($0.0): \($0.1)\r\n" }.joined())
    }
}
