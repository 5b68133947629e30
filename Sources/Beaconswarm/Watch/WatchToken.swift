/// What a viewer must know to see a page, and to end what it shows.
struct WatchToken: Sendable {
    let text: String

    /// The environment variable with a token of one's own, for whoever scrapes figures by a fixed configuration.
    static let variable = "BEACONSWARM_UI_TOKEN"
    private static let leastLength = 16

    /// A new one of 128 bits. It is no part of a run: the same seed gives the same run, whatever its token.
    init() {
        var system = SystemRandomNumberGenerator()
        let halves = (system.next() as UInt64, system.next() as UInt64)
        self.init(text: ReportBuilder.hexadecimal(halves.0) + ReportBuilder.hexadecimal(halves.1))
    }

    private init(text: String) { self.text = text }

    /// The environment's, or a new one.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for one that is too short, or that could not stand in a URL.
    init(_ environment: [String: String]) throws(CommandFailure) {
        guard let own = environment[WatchToken.variable], !own.isEmpty else {
            self.init()
            return
        }
        let isPlain = own.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
            default: false
            }
        }
        guard isPlain, own.utf8.count >= WatchToken.leastLength else {
            throw CommandFailure(
                .usage,
                "\(WatchToken.variable): allowed are \(WatchToken.leastLength) or more letters, digits, and - . _ ~"
            )
        }
        self.init(text: own)
    }

    /// Whether somebody knows it. How long that takes tells nothing about where a guess is wrong.
    func admits(_ guess: String?) -> Bool {
        guard let guess else { return false }
        let (own, other) = (Array(text.utf8), Array(guess.utf8))
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
