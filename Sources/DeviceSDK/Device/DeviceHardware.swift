package import AppModel
package import Timebase

/// What iPhones say of themselves: `hw.machine`, the screen in points, and the systems they run.
///
/// Weights are rough shares of the phones in use at each version's time (autumn 2018, spring
/// 2025); a model with weight 0 is not met with that version.
package struct DeviceHardware: Sendable {
    package let machine: StaticString
    package let width: UInt16
    package let height: UInt16
    package let weight2018: Double
    package let weight2025: Double
    /// The oldest and the newest major version of iOS that the model runs.
    package let systems: ClosedRange<UInt8>

    package init(
        _ machine: StaticString, _ width: UInt16, _ height: UInt16, _ weight2018: Double,
        _ weight2025: Double, _ systems: ClosedRange<UInt8>
    ) {
        self.machine = machine
        self.width = width
        self.height = height
        self.weight2018 = weight2018
        self.weight2025 = weight2025
        self.systems = systems
    }

    package static let models: [DeviceHardware] = [
        DeviceHardware("iPhone7,2", 375, 667, 9, 0, 8...12),
        DeviceHardware("iPhone7,1", 414, 736, 7, 0, 8...12),
        DeviceHardware("iPhone8,1", 375, 667, 14, 0.5, 9...15),
        DeviceHardware("iPhone8,2", 414, 736, 9, 0.5, 9...15),
        DeviceHardware("iPhone8,4", 320, 568, 3, 0.2, 9...15),
        DeviceHardware("iPhone9,1", 375, 667, 14, 1, 10...15),
        DeviceHardware("iPhone9,2", 414, 736, 16, 1, 10...15),
        DeviceHardware("iPhone10,1", 375, 667, 8, 1.5, 11...16),
        DeviceHardware("iPhone10,2", 414, 736, 9, 2, 11...16),
        DeviceHardware("iPhone10,3", 375, 812, 10, 1.5, 11...16),
        DeviceHardware("iPhone11,2", 375, 812, 1, 2, 12...18),
        DeviceHardware("iPhone11,6", 414, 896, 1, 2.5, 12...18),
        DeviceHardware("iPhone11,8", 414, 896, 0, 5, 12...18),
        DeviceHardware("iPhone12,1", 414, 896, 0, 10, 13...18),
        DeviceHardware("iPhone12,5", 414, 896, 0, 5, 13...18),
        DeviceHardware("iPhone12,8", 375, 667, 0, 1.5, 13...18),
        DeviceHardware("iPhone13,2", 390, 844, 0, 9, 14...18),
        DeviceHardware("iPhone13,4", 428, 926, 0, 5, 14...18),
        DeviceHardware("iPhone14,5", 390, 844, 0, 12, 15...18),
        DeviceHardware("iPhone14,3", 428, 926, 0, 8, 15...18),
        DeviceHardware("iPhone15,2", 393, 852, 0, 6, 16...18),
        DeviceHardware("iPhone15,3", 430, 932, 0, 8, 16...18),
        DeviceHardware("iPhone15,4", 393, 852, 0, 6, 17...18),
        DeviceHardware("iPhone16,2", 430, 932, 0, 9, 17...18),
        DeviceHardware("iPhone17,2", 440, 956, 0, 5, 18...18),
    ]

    /// A release of iOS; weights at both times, as above.
    package struct System: Sendable {
        package let major: UInt8
        package let text: StaticString
        package let weight2018: Double
        package let weight2025: Double

        package init(_ major: UInt8, _ text: StaticString, _ weight2018: Double, _ weight2025: Double) {
            self.major = major
            self.text = text
            self.weight2018 = weight2018
            self.weight2025 = weight2025
        }
    }

    /// Each runs on all models that have its major version: later ones of 15 and 16 are for old phones alone.
    package static let systems: [System] = [
        System(9, "9.3.5", 3, 0), System(10, "10.3.3", 12, 0), System(11, "11.2.6", 8, 0),
        System(11, "11.4.1", 32, 0), System(12, "12.0", 30, 0), System(12, "12.0.1", 15, 0),
        System(15, "15.7.1", 0, 4), System(16, "16.6.1", 0, 8), System(16, "16.7.2", 0, 8),
        System(17, "17.4", 0, 8), System(17, "17.6.1", 0, 22), System(18, "18.1.1", 0, 14),
        System(18, "18.3.1", 0, 18), System(18, "18.3.2", 0, 18),
    ]

    /// A carrier's MCC, MNC and its name as the SDK writes it (`sa_mcc_mnc_mini.json` and the names
    /// in the source for 460); `nil` is a phone without a SIM, whose events lack `$carrier`, and any phone of a
    /// region whose carriers are not listed.
    package struct Carrier: Sendable {
        package let code: StaticString
        package let name: String?
        package let weight: Double
        package var region = Region.china
    }

    package static let carriers: [Carrier] = [
        Carrier(code: "460-00", name: "中国移动", weight: 44),
        Carrier(code: "460-02", name: "中国移动", weight: 6),
        Carrier(code: "460-07", name: "中国移动", weight: 4),
        Carrier(code: "460-01", name: "中国联通", weight: 20),
        Carrier(code: "460-06", name: "中国联通", weight: 1),
        Carrier(code: "460-03", name: "中国电信", weight: 5),
        Carrier(code: "460-11", name: "中国电信", weight: 16),
        Carrier(code: "460-20", name: "中国铁通", weight: 1),
        Carrier(code: "", name: nil, weight: 3),
        Carrier(code: "262-01", name: "T-mobile/Telekom", weight: 34, region: .germany),
        Carrier(code: "262-02", name: "Vodafone D2", weight: 30, region: .germany),
        Carrier(code: "262-07", name: "O2", weight: 33, region: .germany),
        Carrier(code: "", name: nil, weight: 3, region: .germany),
        Carrier(code: "", name: nil, weight: 1, region: .elsewhere),
    ]

    /// Draws the carrier of a device whose user lives in a region: its index in ``carriers``.
    package static func carrier(in region: Region, _ stream: inout RandomStream) -> UInt8 {
        UInt8(carrierChoices[Int(region.rawValue)].sample(&stream))
    }

    /// By ``AppModel/Region``: a choice among all carriers, of which those of the region have weights.
    private static let carrierChoices = Region.allCases.map { region in
        WeightedChoice(weights: carriers.map { $0.region == region ? $0.weight : 0 })
    }

    /// City centres for devices whose app asks for the location: latitude and longitude in degrees
    /// × 10⁶, and a weight.
    package static let locations: [(latitude: Int32, longitude: Int32, weight: Double)] = [
        (39_904_200, 116_407_400, 22), (31_230_400, 121_473_700, 25), (23_129_100, 113_264_400, 19),
        (22_543_100, 114_057_900, 18), (30_572_800, 104_066_800, 21), (30_274_100, 120_155_100, 12),
        (29_563_000, 106_551_600, 16), (30_592_800, 114_305_500, 13), (34_341_600, 108_939_800, 13),
        (32_060_300, 118_796_900, 9),
    ]
}
