import AppModel
package import DeviceSDK

/// What the SDK knows of its collector and so of the pages in web views: which of them may send
/// through it.
package struct SensorsWebBridge: Sendable {
    /// The server URL's host.
    package let host: String
    /// The server URL's `project`, `default` if it names none.
    package let project: String
    private let accepted: [Bool]

    package init(plan: PopulationPlan) {
        host = plan.target.host
        project = Self.project(inQueryOf: plan.target.pathAndQuery)
        let (host, project) = (host, project)
        accepted = plan.app.screens.map { screen in
            guard let page = screen.web else { return false }
            return (page.serverHost.isEmpty || page.serverHost == host)
                && (page.serverProject.isEmpty || page.serverProject == project)
        }
    }

    /// Whether an event of the page on a screen is taken over: only where host and project of the
    /// page's `server_url` are the app's. The SDK returns before it begins to build a refused
    /// event, so nothing is captured.
    package func acceptsWebEvent(screen: UInt16) -> Bool {
        accepted.indices.contains(Int(screen)) && accepted[Int(screen)]
    }

    /// What the SDK appends to the user agent of web views, so that a page knows where it is.
    package var userAgentSuffix: String { " /sa-sdk-ios/sensors-verify/\(host)?\(project) " }

    private static func project(inQueryOf path: String) -> String {
        guard let mark = path.firstIndex(of: "?") else { return "default" }
        for pair in path[path.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == "project" { return String(parts[1]) }
        }
        return "default"
    }

    /// The version that pages' own JavaScript SDK gives as `$lib_version`.
    static let scriptVersion = "1.25.16"
}
