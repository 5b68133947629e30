package import AppModel
package import DeviceSDK
package import SDKDescription
package import Timebase
import Wire
import World

/// The rules of a described SDK: its description.
package struct DeclaredRules: Hashable, Sendable {
    /// What a description is called: its product and its version.
    ///
    /// Versions are not counted up here: whoever writes a description gives it one.
    package struct Version: RawRepresentable, CaseIterable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// A description without a name.
        package static let allCases = [Version(rawValue: "description")]
    }

    package var sdk: DescribedSDK

    package init(_ sdk: DescribedSDK) { self.sdk = sdk }

    /// An SDK that captures nothing.
    package init(version: Version) { sdk = DescribedSDK() }

    /// The names of the events that are captured of an app, as they are sent.
    ///
    /// - Parameters:
    ///   - apiKey: Of the target, and so is `accountID`: both may be in names.
    package func namesSent(of app: AppDescription, apiKey: String, accountID: String) -> Set<String> {
        let texts = DeclaredPopulationTexts(app: app, apiKey: apiKey, accountID: accountID)
        let kinds = DeclaredTemplates(app: app, events: sdk.events, texts: texts).kinds
        return Set(kinds.filter { $0.template != nil }.map(\.name))
    }

    package var version: Version {
        let words = [sdk.name, sdk.version].filter { !$0.isEmpty }
        return words.isEmpty ? Version.allCases[0] : Version(rawValue: words.joined(separator: " "))
    }
}

extension DeclaredRules: SystemRuleSet {
    package static var systemName: String { "declared" }

    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        DeclaredFleet(FleetCore(plan: plan, share: share, system: DeclaredSystem(plan: plan, rules: self)))
    }

    package func defaultPath(account: String) -> String { sdk.request.path }

    package var prefill: Int {
        get { sdk.storage.prefill }
        set { sdk.storage.prefill = newValue }
    }
    /// As many connections as an URLSession opens to one host, at most. Lanes and configurations do not wait for others.
    package var connectionsPerDevice: Int {
        sdk.lanes.isEmpty && sdk.configs.isEmpty ? min(sdk.upload.concurrency, 4) : 4
    }
    package var uploadsAtOnce: Int { sdk.upload.concurrency }
    package var uploadsInBackground: Bool { sdk.upload.timerRuns == .always }
    package var actsOnNetworks: Bool {
        !sdk.upload.onNetwork.isEmpty || sdk.retry.latch?.until.contains(.network) ?? false
    }
    package var uploadInterval: Interval { sdk.upload.flushInterval ?? .minutes(1) }

    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds()
        let holds = sdk.configs.contains { $0.holds != nil }
        if let limit = sdk.storage.limit, sdk.storage.evictAt == .insert, !disksFail, !holds {
            bounds.rows = limit
        }
        bounds.uploads = sdk.upload.concurrency
        bounds.clearsUnsent =
            sdk.retry.exhausted == .clear || sdk.storage.removeBy == .position || sdk.identity.logoutDeletes
            || sdk.answers.rules.contains { $0.verdict == .deliveredClear } || sdk.consent?.stored == .delete
        bounds.batch = batchBound
        bounds.networks = networkMask
        // An event that is larger than all bytes has no room by itself; what is left of a file is written anew.
        let isOther = sdk.storage.maxBytes != nil || sdk.storage.seal != nil
        bounds.evictsOldest = sdk.storage.evictFrom == .oldest && !isOther && !disksFail && !holds
        bounds.pausesOn = networkMask
        bounds.rest = restBound
        if sendsFreely, !disksFail {
            bounds.pause = sdk.upload.flushInterval
            bounds.bulk = sdk.upload.countOf == .sinceFlush ? nil : sdk.upload.flushBulkSize
        }
        return bounds
    }

    /// Events of an upload at most, where no configuration has a say and no file goes as it is.
    private var batchBound: Int {
        guard sdk.configs.isEmpty, sdk.storage.seal == nil else { return .max }
        let lanes = sdk.lanes.map { $0.request.framing == .one ? 1 : $0.batch ?? .max }
        return ([sdk.request.framing == .one ? 1 : sdk.upload.batch ?? .max] + lanes).max() ?? .max
    }

    /// The wait after a failure, where every one is followed by a wait.
    private var restBound: Interval? {
        let waits = AnswerTable.Failure.allCases.allSatisfy { sdk.answers.verdict($0) == .retry }
        guard waits, sdk.retry.attempts == nil, !sdk.upload.rounds, let backoff = sdk.retry.backoff else {
            return nil
        }
        return backoff.delay(after: 1, chance: 0)
    }

    /// Whether nothing ever keeps a trigger from sending what is there.
    private var sendsFreely: Bool {
        let retry = sdk.retry
        let stops =
            retry.backoff != nil || retry.retryAfter != nil || retry.latch != nil || retry.attempts != nil
        let waits =
            sdk.consent != nil || !sdk.configs.isEmpty || sdk.lanes.contains(where: \.waitsForLogin)
        return !stops && !waits && sdk.storage.seal == nil
    }

    package var tagsAllEvents: Bool { sdk.events.tag != nil }

    /// `{{anonymousId}}`, else `{{distinctId}}`, and `{{userId}}`, in the letters of events, where these have them: what
    /// stands around events in a request belongs to none of them.
    package func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity {
        let traits = DeclaredTraits(plan: plan, streams: plan.streams, index: index)
        let identity = DeclaredIdentity(sdk)
        let stream = identity.isVendor ? traits.vendor(ofInstallation: 0) : traits.anonymous(0)
        let values = sdk.events.actions.values.filter { !$0.isOff }.flatMap(\.envelope.placeholders)
        let since = sdk.anonymousSince(ofDevice: index, in: plan)
        var told = DeviceIdentity()
        if let form = values.letters(
            of: [.anonymousID, .distinctID] + (identity.isVendor ? [.deviceID] : []))
        {
            told.anonymousID = DeclaredRules.text { cursor in
                cursor.put(identity.anonymous, stream, at: since + traits.clockSkew, letters: form)
            }
        }
        // Events that tell it as the sender's alone have the prefix before it.
        if let id = told.anonymousID, let form = values.letters(of: [.distinctID]),
            values.letters(of: [.anonymousID] + (identity.isVendor ? [.deviceID] : [])) == nil
        {
            told.anonymousID = form.applied(to: sdk.identity.prefix) + id
        }
        if identity.tellsUsers,
            let form = values.letters(of: identity.namesUsers ? [.userID, .distinctID] : [.userID])
        {
            told.loginID = form.applied(to: DeclaredRules.text { traits.putUserID(0, to: &$0) })
        }
        told.model = values.letters(of: [.deviceModel])?.applied(to: "\(traits.machine)")
        told.systemVersion = values.letters(of: [.osVersion])?.applied(to: "\(traits.osVersion)")
        return told
    }

    /// What is written, an id at most.
    private static func text(_ write: (inout DeclaredCursor) -> Void) -> String {
        var text = WireBuffer()
        text.append(upTo: DeclaredCursor.idLimit + DeclaredCursor.slack) { memory in
            var cursor = DeclaredCursor(memory)
            write(&cursor)
            return cursor.count
        }
        return text.text
    }

    /// The networks on which uploads begin.
    var networkMask: NetworkMask {
        var mask = NetworkMask(sdk.upload.networks.map { Set($0.compactMap(NetworkKind.init(name:))) })
        guard sdk.upload.whenOffline == .wait, mask.contains(.none) else { return mask }
        mask = NetworkMask(Set(NetworkKind.allCases.filter { $0 != .none }))
        return mask
    }
}

extension DescribedSDK {
    /// When a device's first installation makes its anonymous id: as it appears. It matters for ids alone that begin with
    /// their time.
    func anonymousSince(ofDevice index: Int, in plan: PopulationPlan) -> Instant {
        identity.anonymous == .uuid7 ? plan.appearance(ofDevice: index) : plan.start
    }
}

extension [Placeholder] {
    /// In which letters they give one of some values: its own where they do not agree, and `nil` where none gives it.
    fileprivate func letters(of sources: [Placeholder.Source]) -> DeclaredSlotForm.Letters? {
        let found = Set(filter { sources.contains($0.source) }.map { DeclaredSlotForm($0.filters).letters })
        return found.count > 1 ? .own : found.first
    }
}

private final class DeclaredFleet: SpecialisedFleet {
    @exclusivity(unchecked) var core: FleetCore<DeclaredSystem>
    init(_ core: FleetCore<DeclaredSystem>) { self.core = core }
}
