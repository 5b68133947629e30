import AppModel
import DeviceSDK
import Timebase
import Wire
import World

/// The fields that a device's events have in common as long as nothing changes on it: rendered for the device
/// and the state that was asked for last.
final class GrowingDeviceBlock {
    private let plan: PopulationPlan
    private let rules: GrowingRules
    private var key: Key?
    private(set) var traits: GrowingTraits
    /// All of the third protocol's, without `domain`.
    private(set) var common = GrowingCompiledFields.none
    /// `idfa` and `idfv`.
    private(set) var advertising = GrowingCompiledFields.none
    /// Of the second protocol's `vst`, and of all others.
    private(set) var shortVisit = GrowingCompiledFields.none
    private(set) var short = GrowingCompiledFields.none

    private struct Key: Hashable {
        var index: Int
        var account: UInt32?
        var session: UInt32
        var appVersion: UInt16
        var network: NetworkKind
        var hasLocation: Bool
        var installation: UInt8
        var zone: Interval
    }

    init(plan: PopulationPlan, rules: GrowingRules) {
        self.plan = plan
        self.rules = rules
        traits = GrowingTraits(plan: plan, isVersion4: rules.isVersion4, index: 0)
    }

    /// Makes the block that of a device under an epoch, whose local time is so far ahead of UTC.
    func prepare(index: Int, epoch: GrowingEpoch, zone: Interval) {
        let wanted = Key(
            index: index, account: epoch.account, session: epoch.session, appVersion: epoch.appVersion,
            network: epoch.network, hasLocation: epoch.hasLocation,
            installation: epoch.installation, zone: zone)
        guard key != wanted else { return }
        if key?.index != index {
            traits = GrowingTraits(plan: plan, isVersion4: rules.isVersion4, index: index)
        }
        key = wanted
        common = GrowingCompiledFields(commonFields(epoch, zone))
        advertising = GrowingCompiledFields([
            (.idfa, advertisingID.map { .text($0) }), (.idfv, .text(vendorID(epoch))),
        ])
        guard !rules.events.isEmpty else { return }
        short = GrowingCompiledFields(shortFields(epoch))
        shortVisit = GrowingCompiledFields(shortFields(epoch) + shortVisitFields(epoch))
    }

    private var advertisingID: String? {
        rules.buildFlags.contains(.disableIDFA) ? nil : traits.advertisingID?.text
    }

    private func vendorID(_ epoch: GrowingEpoch) -> String {
        traits.vendorID(ofInstallation: epoch.installation).text
    }

    private func userID(_ epoch: GrowingEpoch) -> String? { epoch.account.map { traits.userID($0) } }

    private func appVersion(_ epoch: GrowingEpoch) -> String {
        let versions = plan.app.versions
        return versions.isEmpty ? "1.0.0" : versions[min(Int(epoch.appVersion), versions.count - 1)]
    }

    /// Whether the app lets the field be.
    private func keeps(_ field: GrowingField) -> Bool { !rules.ignoredFields.contains(field.name) }

    private func commonFields(
        _ epoch: GrowingEpoch, _ zone: Interval
    ) -> [(GrowingField, GrowingEventBuilder.Value?)] {
        let user = userID(epoch)
        return [
            (.dataSourceId, .nonEmpty(rules.dataSourceId)),
            (.sessionId, .text(traits.sessionID(epoch.session).text)),
            (.userId, .nonEmpty(user)),
            (.userKey, rules.idMappingEnabled && user != nil ? .text("phone") : nil),
            (.deviceId, .text(traits.deviceID.text)), (.platform, .text("iOS")),
            (.platformVersion, .text(traits.systemVersion)), (.urlScheme, .nonEmpty(rules.urlScheme)),
            (.networkState, keeps(.networkState) ? .text(Self.name(of: epoch.network)) : nil),
            (.screenWidth, keeps(.screenWidth) ? .integer(Int64(traits.screenWidth)) : nil),
            (.screenHeight, keeps(.screenHeight) ? .integer(Int64(traits.screenHeight)) : nil),
            (.deviceBrand, keeps(.deviceBrand) ? .text("Apple") : nil),
            (.deviceModel, keeps(.deviceModel) ? .text(traits.machine) : nil),
            (.deviceType, keeps(.deviceType) ? .text("iPhone") : nil),
            (.appName, .nonEmpty(plan.app.displayName)), (.appVersion, .nonEmpty(appVersion(epoch))),
            (.language, .text(traits.language)),
            (.latitude, epoch.hasLocation ? .number(traits.latitude) : nil),
            (.longitude, epoch.hasLocation ? .number(traits.longitude) : nil),
            (.sdkVersion, .nonEmpty(rules.sdkVersion)),
            (
                .timezoneOffset,
                rules.isVersion4 ? .text(String(-zone.milliseconds / 60_000)) : nil
            ),
        ]
    }

    /// `networkState`.
    private static func name(of network: NetworkKind) -> String {
        switch network {
        case .none: "UNKNOWN"
        case .cellular2G: "2G"
        case .cellular3G: "3G"
        case .cellular4G: "4G"
        case .cellular5G: "5G"
        case .wifi: "WIFI"
        }
    }

    /// What events of the second protocol have (growingio-sdk-ios-advertising, `GrowingReengageEvent.m`).
    private func shortFields(_ epoch: GrowingEpoch) -> [(GrowingField, GrowingEventBuilder.Value?)] {
        Self.short([
            ("u", .text(traits.deviceID.text)), ("s", .text(traits.sessionID(epoch.session).text)),
            ("d", .text(plan.app.bundleIdentifier)), ("dm", .text(traits.machine)),
            ("osv", .text(traits.systemVersion)), ("ui", advertisingID.map { .text($0) }),
            ("iv", .text(vendorID(epoch))),
        ])
    }

    /// What a visit has on top (`GrowingAdvertisingVisitEvent.m` before it was removed).
    private func shortVisitFields(
        _ epoch: GrowingEpoch
    ) -> [(GrowingField, GrowingEventBuilder.Value?)] {
        Self.short([
            ("av", .text(rules.sdkVersion)), ("sh", .integer(Int64(traits.screenHeight))),
            ("sw", .integer(Int64(traits.screenWidth))), ("db", .text("Apple")), ("ph", .text("iPhone")),
            ("os", .text("iOS")), ("cv", .nonEmpty(appVersion(epoch))), ("l", .text(traits.language)),
            ("lat", epoch.hasLocation ? .number(traits.latitude) : nil),
            ("lng", epoch.hasLocation ? .number(traits.longitude) : nil),
            ("cs1", .nonEmpty(userID(epoch))), ("v", .nonEmpty(rules.urlScheme)),
        ])
    }

    private static func short(
        _ fields: [(String, GrowingEventBuilder.Value?)]
    ) -> [(GrowingField, GrowingEventBuilder.Value?)] {
        fields.map { (GrowingField($0.0, 0), $0.1) }
    }
}
