import DeviceSDK
import Timebase

/// What a phone tells Kit of itself: the first line of each file.
///
/// Shares are of late 2016, when the SDK was written, among the phones that its table of models knows
/// (`KitDeviceInfo.m deviceModel`): it ends with the iPhone SE. (Newer ones would say their identifier, such as
/// `iPhone9,1`, whose comma no reader can tell from those between the fields.)
struct KitHandset {
    let name: String
    let model: String
    /// `systemVersion`.
    let system: String
    /// IDFV, which the SDK keeps in the keychain.
    let uuid: String

    private static let names = ["iPhone", "My iPhone", "“小明”的 iPhone", "Li's iPhone, work"]
    private static let models = [
        "iPhone 5s (GSM)", "iPhone 6", "iPhone 6 Plus", "iPhone 6s", "iPhone 6s Plus", "iPhone SE",
    ]
    private static let systems = ["9.3.2", "9.3.5", "10.0.2", "10.1.1", "10.2"]

    private static let modelShares = WeightedChoice(weights: [10, 22, 14, 21, 14, 5])
    private static let nameShares = WeightedChoice(weights: [6, 2, 1, 1])
    private static let systemShares = WeightedChoice(weights: [1, 3, 2, 3, 1])

    /// Draws a phone.
    ///
    /// - Parameters:
    ///   - traits: The device's stream of traits.
    ///   - identity: The device's stream of identifiers.
    init(traits: RandomStream, identity: RandomStream) {
        var draw = traits.child(1 << 40)
        name = Self.names[Self.nameShares.sample(&draw)]
        model = Self.models[Self.modelShares.sample(&draw)]
        system = Self.systems[Self.systemShares.sample(&draw)]
        uuid = DeviceUUID(stream: identity.child(1 << 40)).text
    }

    /// `UIDevice.systemName`: `iPhone OS` up to iOS 9, as the published example of 9.1 has it, `iOS` from 10 on.
    var systemName: String { system.hasPrefix("9.") ? "iPhone OS" : "iOS" }

    /// `UIScreen.scale` with two decimals, as AFNetworking writes it.
    var scale: String { model.hasSuffix("Plus") ? "3.00" : "2.00" }

    /// `deviceName,deviceModel,systemName,systemVersion,uuid,appVersion,appBuild`; nothing is escaped.
    func line(version: (name: String, build: Int)) -> String {
        "\(name),\(model),\(systemName),\(system),\(uuid),\(version.name),\(version.build)"
    }
}
