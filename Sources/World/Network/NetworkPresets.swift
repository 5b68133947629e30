import Timebase

/// Networks by name. Where the numbers come from is told in the Networks article.
package enum NetworkPresets {
    /// In the order of the documentation; `ideal` first.
    package static let all: [(name: String, rules: NetworkRules)] =
        [("ideal", .ideal)] + radios + lives + tools

    package static let names = all.map(\.name)

    package static func rules(named name: String) -> NetworkRules? {
        all.first { $0.name == name }?.rules
    }

    /// The link of a radio as most phones have it.
    package static func link(of kind: NetworkKind) -> LinkRules? {
        switch kind {
        case .none: nil
        case .wifi: link(20, 0.7, down: 40_000, up: 33_000, loss: 0.001, burst: 2)
        case .cellular5G:
            link(50, 0.8, down: 60_000, up: 11_000, loss: 0.002, burst: 3, wake: .milliseconds(100))
        case .cellular4G:
            link(50, 0.8, down: 12_000, up: 6000, loss: 0.002, burst: 3, wake: .milliseconds(100))
        case .cellular3G: link(200, 0.5, down: 1200, up: 400, loss: 0.005, burst: 4, wake: .seconds(2))
        case .cellular2G: link(700, 0.4, down: 200, up: 100, loss: 0.015, burst: 7, wake: .seconds(2))
        }
    }

    // MARK: One radio

    private static let radios: [(String, NetworkRules)] =
        [NetworkKind.wifi, .cellular5G, .cellular4G, .cellular3G, .cellular2G].map { kind in
            var rules = NetworkRules(kind: kind)
            for radio in NetworkKind.allCases { rules.links[radio] = link(of: radio) }
            return (kind.name, rules)
        }

    /// - Parameters:
    ///   - median: Of round trips, in milliseconds; the least is 0.4 of it.
    ///   - down: Kilobits per second, as `up`.
    ///   - wake: Cellular radios stay awake for 10 s after that.
    private static func link(
        _ median: Double, _ sigma: Double, down: Double, up: Double, loss: Double, burst: Double,
        wake: Interval? = nil
    ) -> LinkRules {
        var link = LinkRules()
        link.roundTrip = .lognormal(median: median, sigma: sigma)
        link.leastRoundTrip = 0.4 * median
        link.down = down * 1000
        link.up = up * 1000
        link.loss = loss
        link.burst = burst
        link.promotion = wake ?? .zero
        link.tail = wake == nil ? .zero : .seconds(10)
        return link
    }

    // MARK: Lives on the move

    private static let lives: [(String, NetworkRules)] = [
        life(
            "mobile-mix",
            [
                stays(
                    .wifi, 90, [(.cellular4G, 0.88), (.cellular3G, 0.04), (.cellular2G, 0.01), (.none, 0.07)]),
                stays(
                    .cellular4G, 40, [(.wifi, 0.62), (.cellular3G, 0.18), (.cellular2G, 0.03), (.none, 0.17)]),
                stays(
                    .cellular3G, 8, [(.wifi, 0.10), (.cellular4G, 0.72), (.cellular2G, 0.08), (.none, 0.10)]),
                stays(
                    .cellular2G, 4, [(.wifi, 0.05), (.cellular4G, 0.45), (.cellular3G, 0.30), (.none, 0.20)]),
                stays(
                    .none, 3, [(.wifi, 0.25), (.cellular4G, 0.58), (.cellular3G, 0.12), (.cellular2G, 0.05)]),
            ]),
        life(
            "commuter",
            [
                stays(
                    .wifi, 45, [(.cellular4G, 0.90), (.cellular3G, 0.03), (.cellular2G, 0.01), (.none, 0.06)]),
                stays(
                    .cellular4G, 20, [(.wifi, 0.30), (.cellular3G, 0.30), (.cellular2G, 0.05), (.none, 0.35)]),
                stays(
                    .cellular3G, 5, [(.wifi, 0.05), (.cellular4G, 0.75), (.cellular2G, 0.10), (.none, 0.10)]),
                stays(
                    .cellular2G, 3, [(.wifi, 0.05), (.cellular4G, 0.50), (.cellular3G, 0.30), (.none, 0.15)]),
                stays(
                    .none, 2.8,
                    [(.wifi, 0.08), (.cellular4G, 0.74), (.cellular3G, 0.14), (.cellular2G, 0.04)]),
            ]),
        life(
            "emerging-market",
            [
                stays(
                    .wifi, 60, [(.cellular4G, 0.55), (.cellular3G, 0.33), (.cellular2G, 0.06), (.none, 0.06)]),
                stays(
                    .cellular4G, 30, [(.wifi, 0.28), (.cellular3G, 0.50), (.cellular2G, 0.07), (.none, 0.15)]),
                stays(
                    .cellular3G, 23, [(.wifi, 0.15), (.cellular4G, 0.45), (.cellular2G, 0.22), (.none, 0.18)]),
                stays(
                    .cellular2G, 20, [(.wifi, 0.05), (.cellular4G, 0.25), (.cellular3G, 0.55), (.none, 0.15)]),
                stays(
                    .none, 11, [(.wifi, 0.15), (.cellular4G, 0.40), (.cellular3G, 0.33), (.cellular2G, 0.12)]),
            ]),
        life(
            "subway",
            [
                RadioChain.State(
                    .cellular4G, dwell: .seconds(60), isRegular: true, to: [.init(.none, 1)]),
                RadioChain.State(
                    .none, dwell: .seconds(90), isRegular: true, to: [.init(.cellular4G, 1)]),
            ]),
        portal,
    ]

    /// A Wi-Fi that lets nobody out, and 4G.
    private static let portal: (String, NetworkRules) = {
        var (name, rules) = life(
            "captive-portal",
            [stays(.cellular4G, 25, [(.wifi, 1)]), stays(.wifi, 5, [(.cellular4G, 1)])])
        rules.links[.wifi]?.refused = 1
        return (name, rules)
    }()

    private static func stays(
        _ kind: NetworkKind, _ minutes: Double, _ jumps: [(NetworkKind, Double)]
    ) -> RadioChain.State {
        RadioChain.State(
            kind, dwell: .fractional(seconds: minutes * 60), to: jumps.map { RadioChain.Jump($0.0, $0.1) })
    }

    private static func life(_ name: String, _ states: [RadioChain.State]) -> (String, NetworkRules) {
        var rules = NetworkRules()
        rules.chain = RadioChain(states)
        for radio in NetworkKind.allCases { rules.links[radio] = link(of: radio) }
        rules.handover = HandoverRules(failure: 0.5, gap: .uniform(300, 3000))
        return (name, rules)
    }
}
