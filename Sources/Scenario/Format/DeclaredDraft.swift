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
    var backoff: DescribedSDK.Retry.Backoff?
    var configs: [ConfigDraft] = []
    var consent: DescribedSDK.Consent?
    var retryAfter: DescribedSDK.Retry.RetryAfter?
}

/// An action's part of a description.
struct ActionDraft: Sendable {
    var name: Place?
    var properties: Place?
    /// What its envelope has beside the common one, or in its place.
    var fields: Place?
    var isOff = false
    var before: [DescribedSDK.Action] = []
    var after: [DescribedSDK.Action] = []
}
