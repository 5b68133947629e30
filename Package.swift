// swift-tools-version: 6.2
import PackageDescription

/// The strictest settings this compiler knows, for every Swift target of the package.
///
/// With `BEACONSWARM_WARNINGS=error` in the environment, as CI has it, a warning fails the build.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (Context.environment["BEACONSWARM_WARNINGS"] == "error" ? [.treatAllWarnings(as: .error)] : [])

extension Target {
    /// A room of the house: its imports are what the table in the Architecture article allows.
    static func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
        .target(name: name, dependencies: dependencies, swiftSettings: strict)
    }

    /// The tests of a room, beside the support that all tests share.
    static func tests(
        of name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
    ) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies,
            resources: resources, swiftSettings: strict)
    }
}

let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let nio = [
    Target.Dependency.product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "beaconswarm",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "beaconswarm", targets: ["beaconswarm-cli"]),
        .library(name: "Beaconswarm", targets: ["Beaconswarm"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    ],
    targets: [
        // C libraries of the system, and the small C++ bridge to simdjson.
        .systemLibrary(
            name: "CLibdeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .target(
            name: "CSimdjson", cxxSettings: [.unsafeFlags(["-O3"])],
            linkerSettings: [.linkedLibrary("simdjson")]),

        // The pure rooms: no clock, no input or output, no threads.
        .room("Timebase"),
        .room("Accounting", ["Timebase"]),
        .room("Measurement", ["Timebase", "Accounting", histogram]),
        .room("Wire", ["CLibdeflate", "CSimdjson"]),
        .room("AppModel", ["Timebase"]),
        .room("World", ["Timebase"]),
        .room("DeviceSDK", ["Timebase", "Accounting", "AppModel", "World", "Wire"]),
        .room("CollectorModel", ["Timebase", "Accounting", "Wire"]),
        .room(
            "VirtualEngine",
            [
                "Timebase", "Accounting", "AppModel", "DeviceSDK", "World", "CollectorModel", "Measurement",
                "Wire",
            ]),

        // The rooms that touch the machine.
        .room(
            "LiveEngine",
            ["Timebase", "Accounting", "AppModel", "DeviceSDK", "World", "Measurement", "Wire"] + nio),
        .room(
            "CollectorServer",
            [
                "Timebase", "Accounting", "CollectorModel", "Wire", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + nio),

        // What a user writes and reads.
        .room(
            "Scenario",
            ["Timebase", "Accounting", "AppModel", "DeviceSDK", "World", "CollectorModel"]),
        .room("Reporting", ["Timebase", "Accounting", "Measurement"]),
        .room(
            "Beaconswarm",
            [
                "Timebase", "Accounting", "Measurement", "Wire", "AppModel", "DeviceSDK", "World",
                "CollectorModel", "VirtualEngine", "LiveEngine", "CollectorServer", "Scenario", "Reporting",
            ] + nio),
        // What several tests share: scenarios, and the worlds to play them in. Not a product.
        .room(
            "TestSupport",
            [
                "Timebase", "Accounting", "Measurement", "DeviceSDK", "World", "CollectorModel",
                "VirtualEngine", "LiveEngine", "CollectorServer", "Scenario",
            ] + nio),
        .testTarget(
            name: "ConformanceTests", dependencies: ["TestSupport", "Scenario"], swiftSettings: strict),

        .tests(of: "Timebase"),
        .tests(of: "Accounting", ["Timebase"]),
        .tests(of: "Measurement", ["Timebase", "Accounting"]),
        .tests(of: "Wire", ["Timebase"]),
        .tests(of: "AppModel", ["Timebase"]),
        .tests(of: "DeviceSDK", ["Timebase", "Accounting", "AppModel", "Wire", "World"]),
        .tests(of: "CollectorModel", ["Timebase", "Accounting", "Wire"]),
        .tests(
            of: "LiveEngine",
            [
                "Timebase", "Accounting", "DeviceSDK", "Measurement", "Wire", "World", "AppModel",
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        .tests(of: "CollectorServer", ["Timebase", "Accounting", "CollectorModel", "Wire", grdb] + nio),
        .tests(
            of: "Scenario", ["Timebase", "AppModel", "DeviceSDK", "World", "CollectorModel", "Accounting"]),
        .tests(of: "Beaconswarm", ["Timebase", "Accounting", "Wire", "Reporting"]),
        .tests(of: "Reporting", ["Timebase", "Measurement", "Accounting"]),
        .executableTarget(
            name: "beaconswarm-cli", dependencies: ["Beaconswarm", arguments], swiftSettings: strict),
        // Speed against peers (`make bench`); not a product.
        .executableTarget(
            name: "beaconswarm-bench",
            dependencies: [
                "Timebase", "Accounting", "Measurement", "Wire", "AppModel", "DeviceSDK", "World",
                "CollectorModel", "VirtualEngine", "LiveEngine", "CollectorServer",
            ] + nio, swiftSettings: strict),
    ]
)
