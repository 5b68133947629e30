import Accounting
import DeviceSDK
import Timebase
import World

/// A sentence of a story.
struct StoryLine: Hashable, Sendable {
    var at: Instant
    var text: String

    /// What the timeline does to a device's network; `nil` ends that.
    static func timeline(puts network: NetworkKind?) -> String {
        switch network {
        case NetworkKind.none?: "the timeline took the device's network away"
        case let network?: "the timeline put the device on \(network.name)"
        case nil: "the timeline put the device back on its own network"
        }
    }

    /// What a stop of all uploads comes to, for whoever waits for the next one.
    static func latch(_ isLatched: Bool) -> String {
        isLatched
            ? "the SDK stopped all uploads (retry.latch, retry.exhausted): a new process, or what \"until\" names, lets them go on"
            : "the SDK may upload again: its stop of all uploads (retry.latch) was over"
    }
}

// What causes mean, for people who do not know their names.

extension Disposition {
    /// Why, in words; the name under which reports count it follows in brackets.
    ///
    /// - Parameter count: How many events it is told of.
    func reason(of count: Int = 1) -> String {
        guard let cause else { return "" }
        return "\(count == 1 ? words : wordsOfMany) (\(cause))"
    }

    private var words: String {
        switch self {
        case .delivered: ""
        case .suppressed(let cause): cause.words
        case .evicted(.storageLimit):
            "the store was full, and it made room for newer ones or was refused, or it is larger than the bound"
        case .evicted(.expired): "it had been stored for longer than the SDK keeps events"
        case .retriesExhausted: "the SDK gave it up after a failed upload, as its rules have it"
        case .rejected: "the SDK gave it up after an answer that was no success"
        case .lost(.killed): "it was only in memory when the process died"
        case .lost(.clearedUnsent): "the SDK cleared it away, and no upload with it had been a success"
        case .lost(.storageError): "the device's disk did not keep it"
        case .lost(.uninstalled): "the app was deleted with all it had stored"
        case .pending(.stored): "it was still on the device when the run ended"
        case .pending(.inFlight): "its upload had no answer when the run ended"
        }
    }

    /// The same of several that were lost alike; stories tell other fates of one alone.
    private var wordsOfMany: String {
        switch self {
        case .delivered, .suppressed, .pending, .lost(.uninstalled): words
        case .evicted(.storageLimit):
            "the store was full, and they made room for newer ones or were refused, or they are larger than the bound"
        case .evicted(.expired): "they had been stored for longer than the SDK keeps events"
        case .retriesExhausted: "the SDK gave them up after a failed upload, as its rules have it"
        case .rejected: "the SDK gave them up after an answer that was no success"
        case .lost(.killed): "they were only in memory when the process died"
        case .lost(.clearedUnsent): "the SDK cleared them away, and no upload with them had been a success"
        case .lost(.storageError): "the device's disk did not keep them"
        }
    }
}

extension Disposition.Suppression {
    fileprivate var words: String {
        switch self {
        case .sdkDisabled: "the SDK was switched off"
        case .blacklisted: "the configuration lists events of its name as unwanted"
        case .autotrackOff: "automatic events of its kind are switched off"
        case .invalid: "the SDK found it invalid"
        case .sampledOut: "the device's sample leaves it out"
        case .consent: "the user has not consented"
        case .intercepted: "an interceptor of the app dropped it"
        }
    }
}

extension RequestFailure {
    /// What the device saw, in words.
    var words: String {
        switch self {
        case .offline: "could not leave: no radio"
        case .dns: "found no address"
        case .refused: "was refused a connection"
        case .tls: "found no TLS connection"
        case .reset: "was cut: the connection was reset"
        case .closed: "was cut: the connection was closed"
        case .truncated: "got an answer that broke off"
        case .malformed: "got an answer that is not HTTP, or cannot be unpacked"
        case .streamReset: "was reset by the server"
        case .streamRefused: "was refused by the server before it looked at it"
        case .timedOut: "got no answer within the SDK's limit"
        case .processDied: "ended with the app's process"
        case .noSocket: "found no socket on the generating machine"
        case .unanswered: "had no answer when the run ended"
        }
    }
}
