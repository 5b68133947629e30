import Timebase

/// What other tools offer for throttling, by their own numbers.
extension NetworkPresets {
    static let tools: [(String, NetworkRules)] = [
        tool("devtools-3g", .cellular3G, down: 400, up: 400, roundTrip: 2000, delaysRequests: true),
        tool("devtools-slow-4g", .cellular4G, down: 1440, up: 675, roundTrip: 562.5, delaysRequests: true),
        tool("devtools-fast-4g", .cellular4G, down: 8100, up: 1350, roundTrip: 165, delaysRequests: true),
        tool("lighthouse-slow-4g", .cellular4G, down: 1638, up: 750, roundTrip: 150),
        tool("lighthouse-regular-3g", .cellular3G, down: 700, up: 700, roundTrip: 300),
        tool("lighthouse-dense-4g", .cellular4G, down: 10_240, up: 10_240, roundTrip: 40),
        tool("webpagetest-3g", .cellular3G, down: 1600, up: 768, roundTrip: 300),
        tool("webpagetest-3g-fast", .cellular3G, down: 1600, up: 768, roundTrip: 150),
        tool("webpagetest-3g-slow", .cellular3G, down: 780, up: 330, roundTrip: 200),
        tool("webpagetest-edge", .cellular2G, down: 240, up: 200, roundTrip: 840),
        tool("webpagetest-2g", .cellular2G, down: 35, up: 32, roundTrip: 1300),
        tool("webpagetest-cable", .wifi, down: 5000, up: 1000, roundTrip: 28),
        tool("webpagetest-dsl", .wifi, down: 1500, up: 384, roundTrip: 50),
        tool("webpagetest-fios", .wifi, down: 20_000, up: 5000, roundTrip: 4),
        tool("webpagetest-dial", .wifi, down: 49, up: 30, roundTrip: 120),
        tool("apple-3g", .cellular3G, down: 780, up: 330, roundTrip: 200),
        tool("apple-3g-good", .cellular3G, down: 850, up: 420, roundTrip: 180),
        tool("apple-3g-lossy", .cellular3G, down: 780, up: 330, roundTrip: 200, loss: 0.01),
        tool("apple-edge", .cellular2G, down: 240, up: 200, roundTrip: 800),
        tool("apple-edge-good", .cellular2G, down: 250, up: 200, roundTrip: 700),
        tool("apple-edge-lossy", .cellular2G, down: 240, up: 200, roundTrip: 800, loss: 0.01),
        tool("apple-wifi", .wifi, down: 40_000, up: 33_000, roundTrip: 2),
        tool("apple-wifi-good", .wifi, down: 45_000, up: 40_000, roundTrip: 2),
        tool("apple-dsl", .wifi, down: 2000, up: 256, roundTrip: 10),
        tool("apple-cable", .wifi, down: 6000, up: 1000, roundTrip: 4),
    ]

    /// - Parameters:
    ///   - down: Kilobits per second, as `up`.
    ///   - roundTrip: Milliseconds, always the same.
    ///   - delaysRequests: Whether the tool holds up whole requests instead of packets.
    private static func tool(
        _ name: String, _ kind: NetworkKind, down: Double, up: Double, roundTrip: Double, loss: Double = 0,
        delaysRequests: Bool = false
    ) -> (String, NetworkRules) {
        var link = LinkRules()
        link.roundTrip = .constant(roundTrip)
        link.down = down * 1000
        link.up = up * 1000
        link.loss = loss
        if delaysRequests { link.setUpRoundTrips = 0 }
        var rules = NetworkRules(kind: kind)
        for radio in NetworkKind.allCases where radio != .none { rules.links[radio] = link }
        return (name, rules)
    }
}
