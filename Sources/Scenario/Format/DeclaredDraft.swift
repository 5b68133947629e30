import SDKDescription
import Wire

/// A description while it is read: what its templates mean is known once its constants are.
struct DeclaredDraft: Sendable {
    var sdk = DescribedSDK()
    var notes: [String] = []
    var constants: [Named<String>] = []
    var query: [Named<Place>] = []
    var headers: [Named<Place>]?
    var body: Place?
    var form: [Named<Place>] = []
    var perEvent: Place?
    var common: Place?
    var actions: [DescribedSDK.Action: ActionDraft] = [:]
    var lanes: [Named<LaneDraft>] = []
    var backoff: DescribedSDK.Retry.Backoff?
    var configs: [ConfigDraft] = []
    var consent: DescribedSDK.Consent?
    var retryAfter: DescribedSDK.Retry.RetryAfter?
}

/// A lane of a description.
struct LaneDraft: Sendable {
    /// Its request and the envelope of its events.
    var own = DeclaredDraft()
    var common: Place?
    var tag: JSONPath?
    var batch: Int??
    var waitsFor = WaitsFor.none

    enum WaitsFor: String, CaseIterable, Sendable { case none, login }
}

/// An action's part of a description.
struct ActionDraft: Sendable {
    /// The lane's name.
    var lane: Located<String>?
    var name: Place?
    var properties: Place?
    /// What its envelope has beside the common one, or in its place.
    var fields: Place?
    var isOff = false
    var before: [DescribedSDK.Action] = []
    var after: [DescribedSDK.Action] = []
}
