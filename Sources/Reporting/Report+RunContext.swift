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
        /// The same within a sentence: what is no URL has an article.
        package var targetInWords: String {
            [Report.embeddedTarget, Report.modelledTarget].contains(target) ? "the \(target)" : target
        }
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
        /// How a part of a live run went; `nil` in virtual time.
        package var conduct: PartConduct?
        /// Whether the part was asked to end before its time.
        package var isInterrupted = false
        /// What ended the part at once, where Beaconswarm itself did.
        package var endedBy: EarlyEnd?
        /// Why it makes the whole run invalid.
        package var problems: [PartProblem]?

        package init(name: String, devices: Int, attempt: Int, host: String, wallSeconds: Double) {
            self.name = name
            self.devices = devices
            self.attempt = attempt
            self.host = host
            self.wallSeconds = wallSeconds
        }
    }

    /// How the generator of a part of a live run did.
    package struct PartConduct: Hashable, Sendable {
        /// How long before the common start it was ready.
        package var marginSeconds = 0.0
        package var captured: UInt64 = 0
        package var uploads: UInt64 = 0
        /// Milliseconds.
        package var lagP99 = 0.0
        package var saturated = false
        /// The busiest loop, 0…1.
        package var cpuUtilization = 0.0
        package var eventLoops = 0
        package var cores = 0
        package var memoryBytes: UInt64 = 0
        package var operatingSystem = ""
        package var clock = PartClock()
        package init() {}
    }

    /// What is known of the clock of the machine that a part ran on.
    package struct PartClock: Hashable, Sendable {
        /// Whether the kernel calls it synchronised; `nil` where it does not say.
        package var isSynchronised: Bool?
        /// How far off the kernel takes it to be at most, in milliseconds.
        package var kernelError: Double?
        /// How far it is ahead of the clock of the server that answered, in milliseconds; `nil` where answers did not tell.
        package var aheadOfServer: Double?
        /// How far off that may be.
        package var aheadError: Double?
        /// Answers that told it.
        package var answers: UInt64 = 0
        package init() {}
    }

    /// Why a part makes the whole run invalid.
    package struct PartProblem: Hashable, Sendable {
        package var cause: VerdictRules.Cause
        package var text: String
        package init(cause: VerdictRules.Cause, text: String) {
            self.cause = cause
            self.text = text
        }
    }
}
