/// How a dataset came out, beside what its scenario asks for: the contents of its `report.html`.
package struct DatasetReport: Sendable {
    /// A distribution of times, seconds, at ``percentiles``.
    package struct Times: Sendable {
        package var name: String
        /// Values that were found.
        package var count: UInt64
        package var found: [Double]
        /// `nil` where the scenario does not say it by itself.
        package var asked: [Double]?

        package init(name: String, count: UInt64, found: [Double], asked: [Double]?) {
            self.name = name
            self.count = count
            self.found = found
            self.asked = asked
        }
    }

    /// A number beside what was asked for.
    package struct Rate: Sendable {
        package var name: String
        package var found: Double
        package var asked: Double?

        package init(name: String, found: Double, asked: Double?) {
            self.name = name
            self.found = found
            self.asked = asked
        }
    }

    package struct Population: Sendable {
        package var name: String
        package var persona: String
        /// Those of people, whom all else is about.
        package var devices: Int
        /// Further devices, on which programs play.
        package var bots: Int
        /// Sessions that began in each of the 24 hours of people's own days.
        package var hours: [Int]
        /// The shares that the persona's hours ask for; empty where the scenario's own load has another shape.
        package var askedHours: [Double]
        package var rates: [Rate]
        package var times: [Times]

        package init(
            name: String, persona: String, devices: Int, bots: Int, hours: [Int], askedHours: [Double],
            rates: [Rate], times: [Times]
        ) {
            self.name = name
            self.persona = persona
            self.devices = devices
            self.bots = bots
            self.hours = hours
            self.askedHours = askedHours
            self.rates = rates
            self.times = times
        }
    }

    package struct Column: Sendable {
        package var name: String
        package var values: Int
        package var distinct: Int
        /// Bits a value.
        package var entropy: Double
        /// The most bits that the app's description allows for; `nil` where it does not say.
        package var askedEntropy: Double?
        package var bytes: Int
        package var packedBytes: Int

        package init(
            name: String, values: Int, distinct: Int, entropy: Double, askedEntropy: Double?, bytes: Int,
            packedBytes: Int
        ) {
            self.name = name
            self.values = values
            self.distinct = distinct
            self.entropy = entropy
            self.askedEntropy = askedEntropy
            self.bytes = bytes
            self.packedBytes = packedBytes
        }
    }

    package static let percentiles = [10.0, 50, 90, 99]

    package var name: String
    package var toolVersion: String
    package var seed: UInt64
    package var rows: Int
    package var captured: Int
    package var populations: [Population]
    /// Of the table `events`, in a sample of its rows.
    package var columns: [Column]
    package var sampledRows: Int

    package init(
        name: String, toolVersion: String, seed: UInt64, rows: Int, captured: Int,
        populations: [Population], columns: [Column], sampledRows: Int
    ) {
        self.name = name
        self.toolVersion = toolVersion
        self.seed = seed
        self.rows = rows
        self.captured = captured
        self.populations = populations
        self.columns = columns
        self.sampledRows = sampledRows
    }
}
