import Testing

/// Where the process of all suites begins.
///
/// Without it the package manager writes such a file itself, and looks for tests of XCTest in an index of the sources, which the
/// compiler makes for an eighth of the time that the suites take. There are none of those: Swift Testing finds its tests
/// in the program itself.
@main
struct Suites {
    static func main() async {
        // Whoever asks for XCTest's, as `swift test` does before it asks for the others, has none.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
