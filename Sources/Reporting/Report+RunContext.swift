extension Report {
    /// How the run came about, and on what.
    package struct RunContext: Hashable, Sendable {
        package var command: [String]
        package var host: String
        package var operatingSystem: String
        package var cores: Int
        package var memoryBytes: UInt64
        /// Where the events went: a URL without secrets, `embedded collector`, or `modelled world`.
        package var target: String
        /// What became of requests' bytes in virtual time: `encode`, or `measure` where sizes are a model's; `nil` for
        /// live runs.
        package var bodies: String?
        /// The commit of what was tested, where the environment says it.
        package var commit: String?
        /// The commit that the tool was built from, where it knows.
        package var toolCommit: String?
        /// The parts that the run was played in, where it was joined from several.
        package var parts: [Part]?
        /// Which parts are missing, in words; `nil` if none is.
        package var missingParts: String?
        package init(
            command: [String], host: String, operatingSystem: String, cores: Int, memoryBytes: UInt64,
            target: String
        ) {
            self.command = command
            self.host = host
            self.operatingSystem = operatingSystem
            self.cores = cores
            self.memoryBytes = memoryBytes
            self.target = target
        }
    }

    /// One of the parts that a run was played in.
    package struct Part: Hashable, Sendable {
        /// `I/N`.
        package var name: String
        package var devices: Int
        /// Which of the attempts at it was whole, from 1.
        package var attempt: Int
        package var host: String
        package var wallSeconds: Double

        package init(name: String, devices: Int, attempt: Int, host: String, wallSeconds: Double) {
            self.name = name
            self.devices = devices
            self.attempt = attempt
            self.host = host
            self.wallSeconds = wallSeconds
        }
    }
}
