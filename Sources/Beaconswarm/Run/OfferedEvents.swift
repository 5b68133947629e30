import AppModel
import Timebase

/// The events that a population will capture, as a range.
///
/// A sample of the devices tells what a session and a second in the app mean in events; an outline of all users
/// tells how many of both there will be. What the range allows for: that sessions differ in what is done in
/// them, that the sample knows that from some only, and that not all users may have been looked at.
struct OfferedEvents {
    /// Some devices of the sample together: how often and how long they had the app open, and what came of it.
    struct Part {
        var sessions: Double
        var seconds: Double
        var events: Double
    }

    private(set) var estimate = 0.0
    /// One standard error.
    private(set) var error = 0.0

    /// Standard errors on both sides of the estimate; 4 where 3 would do for a normal law, since this one has tails.
    static let width = 4.0
    /// What is allowed for in any case, as a share of the estimate: the sample's world has no faults.
    static let leastShare = 0.01

    var range: ClosedRange<Double> {
        let margin = max(
            OfferedEvents.width * error, OfferedEvents.leastShare * estimate, estimate > 0 ? 1 : 0)
        return max(0, estimate - margin)...estimate + margin
    }

    /// - Parameters:
    ///   - parts: The sample.
    ///   - outline: All users.
    ///   - isSteady: Whether users are in one session for the whole run, so that all comes of its seconds.
    ///   - tempo: How many times as fast as by itself the users' life passes: in a fast one, sessions of less than a second
    ///     differ in length as much as those of minutes do.
    ///   - holdsSample: Whether the sample's devices are among the users, and do in the run what they did in it.
    init(
        parts: [Part], outline: UserOutline, isSteady: Bool, tempo: Double = 1, holdsSample: Bool = true
    ) {
        // Seconds of that life from here on.
        let outline = outline.stretched(by: tempo)
        let parts = parts.filter { $0.events > 0 || $0.sessions > 0 }.map { part in
            Part(sessions: part.sessions, seconds: part.seconds * tempo, events: part.events)
        }
        let fit = Fit(parts, sessionWeight: isSteady ? 0 : 10)
        let total = outline.total(perSession: fit.perSession, perSecond: fit.perSecond)
        // Of the sample itself the events are known.
        let known = holdsSample ? parts.reduce(0) { $0 + $1.events - fit.events(of: $1) } : 0
        estimate = max(0, total.value + known)
        let sampled = parts.reduce(0) { $0 + fit.weight($1) }
        let all = outline.total(perSession: fit.sessionWeight, perSecond: 1).value
        let others = max(0, all - (holdsSample ? sampled : 0))
        // By what the others will deviate, and by what the sample did.
        let own = fit.variance * others * (1 + (sampled > 0 ? others / sampled : 0))
        error = (own + total.error * total.error).squareRoot()
    }
}

/// Events per session and per second by weighted least squares; a part's variance grows with its weight.
private struct Fit {
    private(set) var perSession = 0.0
    private(set) var perSecond = 0.0
    /// Of a part's events, by its weight.
    private(set) var variance = 0.0
    /// Seconds that a session weighs.
    let sessionWeight: Double
    /// From so many parts on they tell themselves how much they differ.
    private static let enoughParts = 10

    init(_ parts: [OfferedEvents.Part], sessionWeight: Double) {
        self.sessionWeight = sessionWeight
        var (ss, st, tt, sy, ty) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for part in parts {
            let weight = 1 / weight(part)
            ss += weight * part.sessions * part.sessions
            st += weight * part.sessions * part.seconds
            tt += weight * part.seconds * part.seconds
            sy += weight * part.sessions * part.events
            ty += weight * part.seconds * part.events
        }
        let determinant = ss * tt - st * st
        if sessionWeight > 0, determinant > 1e-6 * ss * tt, parts.count >= Fit.enoughParts {
            perSession = (sy * tt - ty * st) / determinant
            perSecond = (ty * ss - sy * st) / determinant
        }
        if perSession <= 0 || perSecond <= 0 { divide(parts) }
        let squares = parts.reduce(0) { sum, part in
            let rest = part.events - events(of: part)
            return sum + rest * rest / weight(part)
        }
        variance = squares / Double(max(1, parts.count - 2))
        // Events come in no less disorder than by chance, those of people in flocks.
        let weights = parts.reduce(0) { $0 + weight($1) }
        let mean = weights > 0 ? parts.reduce(0) { $0 + $1.events } / weights : 0
        variance = max(variance, mean * (parts.count < Fit.enoughParts ? 5 : 1))
    }

    /// All events to the one or to both, where the parts cannot tell: by sessions if a second is worth nothing.
    private mutating func divide(_ parts: [OfferedEvents.Part]) {
        let isBySessions = perSession > 0
        let isBySeconds = perSecond > 0
        let events = parts.reduce(0) { $0 + $1.events }
        let sessions = parts.reduce(0) { $0 + $1.sessions }
        let seconds = parts.reduce(0) { $0 + $1.seconds }
        let (session, second) = isBySessions ? (1.0, 0.0) : isBySeconds ? (0, 1) : (sessionWeight, 1)
        let whole = session * sessions + second * seconds
        perSession = whole > 0 ? session * events / whole : 0
        perSecond = whole > 0 ? second * events / whole : 0
    }

    func weight(_ part: OfferedEvents.Part) -> Double {
        sessionWeight * part.sessions + part.seconds + 1e-9
    }

    func events(of part: OfferedEvents.Part) -> Double {
        perSession * part.sessions + perSecond * part.seconds
    }
}
