import Measurement
import Rendering

/// What is said of a generator that could not keep its own schedule.
package enum GeneratorWords {
    /// Which limit it passed, and what would help, in a sentence.
    ///
    /// - Parameters:
    ///   - who: Who it is, such as `The generator`.
    ///   - lagP99: How late things were done, at p(99), in milliseconds.
    ///   - busiestLoop: The share of the time for which the busiest event loop was busy, 0…1.
    package static func late(
        _ who: String, lagP99: Double, busiestLoop: Double,
        remedy: String = "fewer devices, more threads or a faster machine"
    ) -> String {
        let lag = "lag p(99) \(Numbers.duration(milliseconds: lagP99))"
        let late = "lag p(99) \(Numbers.duration(milliseconds: lagP99.rounded(.up)))"
        var reasons: [String] = []
        if lagP99 > GeneratorLimits.lagP99 {
            reasons.append("\(late), the limit is \(Numbers.duration(milliseconds: GeneratorLimits.lagP99))")
        }
        if busiestLoop > GeneratorLimits.busyShare {
            reasons.append(
                "an event loop was busy \(percent(busiestLoop)) of the time, the limit is "
                    + percent(GeneratorLimits.busyShare))
        }
        // Of several parts one may have been late, and all together not.
        let why = reasons.isEmpty ? lag : reasons.joined(separator: "; ")
        return
            "\(who) could not keep its own schedule (\(why)), so the run says nothing about the collector: use "
            + "\(remedy)."
    }

    /// Rounded up: what is beyond a limit must not look as if it had only reached it.
    private static func percent(_ share: Double) -> String {
        Numbers.fixed((share * 100).rounded(.up), 0) + " %"
    }
}
