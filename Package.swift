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
    // Bugs that the swarm has to find (`make planted`): never in a release.
    + (Context.environment["BEACONSWARM_PLANTED"] == "1" ? [.define("PLANTED")] : [])

/// From what is built, as `make` says in the environment; nothing where nobody says, as in a tarball.
let buildStamp = ["BEACONSWARM_BUILD_COMMIT", "BEACONSWARM_BUILD_DATE"].compactMap { name in
    Context.environment[name].map { CSetting.define(name, to: "\"\($0)\"") }
}

/// What a release build does with a target (the Building article has the measurements). A debug build does none of it.
enum Release {
    /// Optimised, with its internals open to the tests, so that the tests need no build of their own.
    case fast
    /// Opened likewise, but not optimised: code that runs a few times in each process, and that takes the optimiser
    /// many times as long as it would ever gain.
    case plain
    /// As `plain`, of which nobody needs the interface before it is compiled: it is not worked out apart.
    case suite
    /// As `fast`, and other targets may specialise and inline all that it has: for generic code on the hot path.
    case open

    var settings: [SwiftSetting] {
        let flags =
            switch self {
            case .fast: ["-enable-testing"]
            case .plain: ["-enable-testing", "-Onone"]
            case .suite: ["-enable-testing", "-Onone", "-no-emit-module-separately-wmo"]
            case .open: ["-enable-testing", "-Xllvm", "-sil-cross-module-serialize-all"]
            }
        // Debug information takes the compiler time, and serves nobody who does not step through a release.
        let all = flags + ["-Xfrontend", "-gnone"]
        return strict + [.unsafeFlags(all, .when(configuration: .release))]
    }
}

extension Target {
    /// A target whose imports are those in the picture of the Architecture article.
    static func module(
        _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
        release: Release = .fast, plugins: [Target.PluginUsage] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, exclude: exclude, swiftSettings: release.settings,
            plugins: plugins)
    }

    /// The devices of one system: a target in a folder of `Sources/DeviceSDK/Systems`.
    static func system(
        _ name: String, in folder: String, _ others: [Target.Dependency] = [], exclude: [String] = []
    ) -> Target {
        .target(
            name: name,
            dependencies: ["DeviceSDK", "Timebase", "Accounting", "AppModel", "World", "Wire"] + others,
            path: "Sources/DeviceSDK/Systems/\(folder)", exclude: exclude,
            swiftSettings: Release.fast.settings)
    }

    /// The tests of a module, beside the support that all tests share.
    static func tests(
        of name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
    ) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies,
            resources: resources, swiftSettings: Release.suite.settings)
    }
}

/// The devices of every system that can be simulated.
let systems: [Target] = [
    .system("SensorsSDK", in: "Sensors"),
    .system("GrowingSDK", in: "Growing"),
    .system("TrackingSDK", in: "TrackingSDK"),
    .system("KitSDK", in: "Kit"),
    // The schema of a system's messages, for whoever reads or writes them elsewhere.
    .system("CodelessSDK", in: "Codeless", exclude: ["codeless.proto"]),
    .system("DeclaredSDK", in: "Declared", ["SDKDescription"]),
]
let allSystems = systems.map { Target.Dependency.target(name: $0.name) }

let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let nio = [
    Target.Dependency.product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let tls = [
    Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl"),
    .product(name: "NIOTLS", package: "swift-nio"),
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
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    ],
    targets: [
        // C libraries of the system, and the small C++ bridge to simdjson.
        .systemLibrary(
            name: "CLibdeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(name: "CSnappy", pkgConfig: "snappy", providers: [.apt(["libsnappy-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CTimex"),
        .systemLibrary(name: "CPrefetch"),
        .target(
            name: "CSimdjson", cxxSettings: [.unsafeFlags(["-O3"])],
            linkerSettings: [.linkedLibrary("simdjson")]),
        // SQLite of the system, with a file system under it that fails as a device's disk does.
        .target(name: "CDeviceDisk", linkerSettings: [.linkedLibrary("sqlite3")]),

        .target(name: "CBuildStamp", cSettings: buildStamp),

        // The pure modules: no clock, no input or output, no threads.
        .module("Timebase"),
        .module("Snapshots", release: .open),
        .module("Accounting", ["Timebase", "Snapshots"]),
        .module("World", ["Timebase"]),
        .module("Measurement", ["Timebase", "Snapshots", "Accounting", "World", histogram]),
        .module("Wire", ["CLibdeflate", "CLZ4", "CSimdjson", "CSnappy", "CZstd"]),
        .module("AppModel", ["Timebase"]),
        // SDKs as data. The files of its folder `Presets` are built in.
        .target(
            name: "SDKDescription", dependencies: ["Timebase", "Wire"], exclude: ["Presets"],
            swiftSettings: Release.fast.settings, plugins: ["EmbedFiles"]),
        // Descriptions drafted from captured requests.
        .module("SDKImport", ["Timebase", "SDKDescription", "Wire"], release: .plain),
        // Folders of JSON files that are built in.
        .plugin(
            name: "EmbedFiles", capability: .buildTool(), dependencies: ["embed-files"],
            path: "Sources/EmbedFiles"),
        .executableTarget(name: "embed-files", swiftSettings: strict),
        .module(
            "DeviceSDK", ["Timebase", "Accounting", "AppModel", "World", "Wire", "CPrefetch"],
            exclude: ["Systems"],
            release: .open),
        .module("CollectorModel", ["Timebase", "Accounting", "SDKDescription", "Wire"]),
        .module(
            "VirtualEngine",
            [
                "Timebase", "Accounting", "DeviceSDK", "World", "CollectorModel", "Measurement", "Wire",
            ]),

        // The modules that touch the machine.
        .module(
            "LiveEngine",
            ["Timebase", "Accounting", "DeviceSDK", "World", "Measurement", "Wire"] + nio + tls),
        .module(
            "CollectorServer",
            [
                "Timebase", "Accounting", "CollectorModel", "Files", "Wire", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + nio),

        .module("DeviceStorage", ["DeviceSDK", "SensorsSDK", "Wire", "CDeviceDisk"]),
        .module("Files"),
        .module(
            "Datasets",
            ["Timebase", "Wire", "Files", "CLibdeflate", .product(name: "GRDBSQLite", package: "GRDB.swift")]),

        // What a user writes and reads.
        .module(
            "Scenario",
            [
                "Timebase", "Measurement", "AppModel", "DeviceSDK", "World", "CollectorModel", "Wire",
                "SDKDescription",
            ] + allSystems, release: .plain),
        // The rows of datasets, the truth behind them, and the answers to what is asked of them.
        .module(
            "Generation",
            [
                "Timebase", "Snapshots", "Accounting", "Measurement", "AppModel", "DeviceSDK", "World",
                "Wire",
                "CollectorModel", "VirtualEngine", "Scenario", "GrowingSDK", "Datasets", "Files",
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        // Numbers and text for people, markup, and the axes of pictures: what every page is made of.
        .module("Rendering", ["Timebase"]),
        .module(
            "Reporting", ["Timebase", "Accounting", "Measurement", "Wire", "Rendering"], release: .plain),
        .module(
            "Beaconswarm",
            [
                "Timebase", "Snapshots", "Accounting", "Measurement", "Wire", "AppModel", "DeviceSDK",
                "World",
                "CollectorModel", "VirtualEngine", "LiveEngine", "CollectorServer", "DeviceStorage",
                "Scenario", "SDKImport", "Reporting", "Files", "GrowingSDK", "SensorsSDK", "Datasets",
                "Generation", "Rendering",
                "CTimex", "CBuildStamp",
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio, release: .plain, plugins: ["EmbedFiles"]),
        // The live engine and the collector on a simulated network, under a clock of one's own. Not a product.
        .module(
            "LiveSimulation",
            [
                "Timebase", "Accounting", "Measurement", "CollectorModel", "LiveEngine", "CollectorServer",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        // What several tests share: scenarios, and the worlds to play them in. Not a product.
        .module(
            "TestSupport",
            [
                "Timebase", "Accounting", "Snapshots", "Measurement", "AppModel", "DeviceSDK", "World",
                "CollectorModel",
                "VirtualEngine", "LiveEngine", "CollectorServer", "DeviceStorage", "Scenario", "Wire",
                "GrowingSDK", "SensorsSDK",
                "LiveSimulation", .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio, release: .plain),
        // What readers of foreign bytes must withstand, for `make fuzz` and for the tests. Not a product.
        .module(
            "Fuzzing",
            [
                "Timebase", "Accounting", "Measurement", "Wire", "CollectorModel", "LiveEngine",
                "CollectorServer", "Scenario", "SDKDescription", "SDKImport", "Reporting",
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        // Random scenarios over all that the format can say, and what must hold in each (`make explore`). Not a
        // product.
        .module(
            "Exploration",
            [
                "Timebase", "Accounting", "CollectorModel", "Measurement", "Wire", "DeviceSDK", "World",
                "VirtualEngine",
                "Scenario", "SDKDescription", "TestSupport", "LiveEngine", "LiveSimulation",
                "DeclaredSDK", "SensorsSDK", "TrackingSDK", .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "TestSupport", "Accounting", "LiveSimulation", "Scenario", "Timebase", "CDeviceDisk",
            ],
            swiftSettings: Release.suite.settings),
        .testTarget(
            name: "LiveConformanceTests",
            dependencies: [
                "TestSupport", "Scenario",
                // No test imports these programs: so they are compiled beside the suites, not after them. They are named
                // here because the suite that names them waits until they are linked, and this one is soon compiled.
                "beaconswarm-cli", "beaconswarm-example", "beaconswarm-tables", "beaconswarm-fuzz",
                "beaconswarm-explore",
            ],
            swiftSettings: Release.suite.settings),

        .tests(of: "Timebase"),
        .tests(of: "Snapshots", ["Timebase"]),
        .tests(of: "Accounting", ["Timebase"]),
        .tests(of: "Measurement", ["Timebase", "Snapshots", "Accounting", "World", histogram]),
        .tests(of: "Wire", ["Timebase", "CZstd"]),
        .tests(of: "AppModel", ["TestSupport", "Timebase"]),
        .tests(of: "World", ["Timebase"]),
        .tests(
            of: "DeviceSDK",
            [
                "Timebase", "Accounting", "AppModel", "Scenario", "SDKDescription", "TestSupport", "Wire",
                "World",
            ] + allSystems),
        .tests(of: "Datasets", ["Files", "Timebase", "Wire"]),
        .tests(
            of: "Generation",
            [
                "Timebase", "Accounting", "DeviceSDK", "World", "Datasets", "Files", "Scenario",
                "TestSupport",
                "VirtualEngine", "Wire",
            ]),
        .tests(of: "SDKDescription", ["Timebase", "Wire"]),
        .tests(of: "SDKImport", ["CollectorModel", "Scenario", "SDKDescription", "Wire"]),
        .tests(
            of: "DeviceStorage",
            ["CDeviceDisk", "DeviceSDK", "SensorsSDK", "TestSupport", "Timebase", "Wire"]),
        .tests(
            of: "CollectorModel",
            ["Timebase", "Accounting", "Scenario", "SDKDescription", "TestSupport", "Wire"]),
        .tests(
            of: "LiveEngine",
            [
                "Timebase", "Accounting", "DeviceSDK", "Measurement", "Wire", "World", "AppModel",
                "TestSupport", "LiveSimulation", "Scenario", "SensorsSDK",
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio + tls),
        .tests(
            of: "LiveSimulation",
            [
                "LiveEngine", "Timebase", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .tests(
            of: "CollectorServer",
            [
                "Timebase", "Accounting", "CollectorModel", "TestSupport", "Wire", grdb,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        .tests(
            of: "Scenario",
            [
                "Timebase", "AppModel", "DeviceSDK", "World", "CollectorModel", "Accounting", "Measurement",
                "Reporting", "SDKDescription", "Wire",
            ] + allSystems),
        .tests(
            of: "Beaconswarm",
            [
                "Timebase", "AppModel", "Accounting", "Measurement", "TestSupport", "Wire", "Reporting",
                "Rendering", "Generation", "Scenario", "DeviceSDK", "GrowingSDK", "LiveEngine", "SensorsSDK",
                "VirtualEngine", "World",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .tests(of: "Fuzzing", ["Timebase", "CollectorModel"]),
        .tests(of: "Exploration", ["Scenario", "Wire"]),
        .tests(of: "Reporting", ["Timebase", "Measurement", "Accounting", "Rendering", "Wire"]),
        .executableTarget(
            name: "beaconswarm-cli", dependencies: ["Beaconswarm", arguments], swiftSettings: strict),
        // A program of one's own around the library, by its public interface alone; not a product.
        .executableTarget(
            name: "beaconswarm-example", dependencies: ["Beaconswarm"], swiftSettings: strict),
        // Bytes that nobody would write (`make fuzz`); not a product.
        .executableTarget(
            name: "beaconswarm-fuzz", dependencies: ["Fuzzing", arguments], swiftSettings: strict),
        // Random worlds (`make explore`); not a product.
        .executableTarget(
            name: "beaconswarm-explore",
            dependencies: ["Beaconswarm", "Exploration", "Timebase", "Wire", arguments],
            swiftSettings: strict),
        // Tables that a test hands it, in every format of datasets; not a product.
        .executableTarget(
            name: "beaconswarm-tables", dependencies: ["Datasets", "Files", "Wire"], swiftSettings: strict),
        // Speed against peers (`make bench`); not a product.
        .executableTarget(
            name: "beaconswarm-bench",
            dependencies: [
                "Timebase", "Accounting", "Measurement", "Wire", "AppModel", "DeviceSDK", "World",
                "CollectorModel", "VirtualEngine", "LiveEngine", "CollectorServer", "SensorsSDK",
                "DeclaredSDK", "Scenario", "Datasets", "Files", "Beaconswarm",
            ] + nio, swiftSettings: strict),
    ] + systems
)
