extension Report {
    /// How many of a fleet's devices were on each radio, at moments of a run.
    ///
    /// A phone is on a radio whether its app is in use or not: these are the networks of the scenario, not the load on
    /// them.
    package struct RadioShares: Hashable, Sendable {
        /// The shares of one radio, 0…1, one for each moment.
        package struct Radio: Hashable, Sendable {
            /// As scenarios name it: `none`, `2g` … `wifi`.
            package var name: String
            package var shares: [Double]

            package init(_ name: String, shares: [Double]) {
                self.name = name
                self.shares = shares
            }
        }

        /// Devices that were looked at: all of them, or some of each population, which stand for the others.
        package var devices = 0
        /// The moments, in seconds from the start.
        package var seconds: [Double] = []
        /// The radios that any device was on, from none at all to Wi-Fi. At each moment, they add up to 1.
        package var radios: [Radio] = []

        package init() {}
    }
}
