/// An SDK that is described and not programmed: what it captures, how it stores and sends that, and what answers do.
///
/// Devices act on it, and a collector reads their requests by it. Every knob has the value that a plain SDK would have:
/// events in a list without a limit, sent every half minute.
package struct DescribedSDK: Hashable, Sendable {
    /// The product and its platform, such as `posthog-ios`; empty for an SDK without a name.
    package var name = ""
    /// The version that the description follows; empty for none.
    package var version = ""
    package var identity = Identity()
    package var storage = Storage()
    package var upload = Upload()
    /// Ways of events beside the main one, in the order in which a flush takes them; fewer than 255.
    package var lanes: [Lane] = []
    package var request = Request()
    package var answers = AnswerTable.plain
    package var retry = Retry()
    /// What it fetches beside its uploads; fewer than 256.
    package var configs: [Config] = []
    /// `nil` for an SDK that knows no consent: it is always there.
    package var consent: Consent?
    package var events = Events()

    package init() {}

    /// Lines of notes that a description may have.
    package static let noteLimit = 500
    /// Characters of each of them.
    package static let noteLength = 2000

    /// The paths, without queries, to which devices send, in a target that says no more than an origin.
    package var paths: [String] {
        requests.reduce(into: []) { paths, request in
            let path = String(request.path.prefix { $0 != "?" })
            if !paths.contains(path) { paths.append(path) }
        }
    }

    /// The product of an SDK's name, which has its platform after the last dash: `posthog` of `posthog-ios`.
    package static func product(of name: String) -> String {
        name.lastIndex(of: "-").map { String(name[..<$0]) } ?? name
    }

    /// The product, by which a collector knows events without an id of the harness.
    ///
    /// - Parameter population: Whose name an SDK without one has.
    package func product(in population: String) -> String {
        DescribedSDK.product(of: name.isEmpty ? population : name)
    }
}
