import AppModel
import DeviceSDK
import Wire

/// What events say of pages and views, rendered at the first event that says it.
final class GrowingViewFields {
    private let views: AppViews
    private let rules: GrowingRules
    private let form: GrowingViewPath.Form
    private var paths: [UInt32: String?] = [:]
    private var pages: [UInt32: GrowingCompiledFields] = [:]
    private var referrals: [UInt32: GrowingCompiledFields] = [:]
    private var elements: [UInt32: Element] = [:]
    private let web: [WebPage?]

    /// What an event says of a view.
    struct Element {
        let path: GrowingViewPath
        /// Everything that is the same for all rows and values.
        let fields: GrowingCompiledFields
        /// Whether the text depends on what the view is set to.
        let hasOwnText: Bool
        /// Whether the page is that of a container around the screen.
        let isInContainer: Bool
    }

    /// What a page in a web view says of itself.
    struct WebPage {
        let page, click, submit, custom: GrowingCompiledFields
    }

    init(views: AppViews, rules: GrowingRules) {
        self.views = views
        self.rules = rules
        form = rules.isVersion4 ? .split : .joined
        let domain = rules.isVersion4 ? nil : views.app.bundleIdentifier
        web = views.app.screens.map { screen in
            screen.web.map { GrowingViewFields.web($0, screen, domain: domain) }
        }
    }

    private static func key(_ screen: UInt16, _ node: UInt16) -> UInt32 {
        UInt32(screen) << 16 | UInt32(node)
    }

    /// `path` of a view controller's page; `nil` for one that is not tracked.
    func pagePath(_ screen: UInt16, _ node: UInt16) -> String? {
        let key = Self.key(screen, node)
        if let path = paths[key] { return path }
        let path = makePagePath(screen, node)
        paths.updateValue(path, forKey: key)
        return path
    }

    /// The same of a page as screen << 16 | node; `nil` for ``GrowingTemplates/none`` too.
    func pagePath(_ page: UInt32) -> String? {
        guard page != GrowingTemplates.none else { return nil }
        return pagePath(UInt16(page >> 16), UInt16(truncatingIfNeeded: page))
    }

    private func makePagePath(_ screen: UInt16, _ node: UInt16) -> String? {
        let name = views.trees[Int(screen)][node].className
        switch rules.autotrack.pages {
        case .all: return views.growingPagePath(ofController: node, on: screen, form)
        case .listed(let aliases): return aliases[name].map { "/" + $0 }
        }
    }

    /// `path` and `title` of PAGE.
    func page(_ screen: UInt16, _ node: UInt16) -> GrowingCompiledFields {
        let key = Self.key(screen, node)
        if let fields = pages[key] { return fields }
        let fields = GrowingCompiledFields([
            (.path, .nonEmpty(pagePath(screen, node))),
            (.title, .nonEmpty(views.trees[Int(screen)][node].title)),
        ])
        pages[key] = fields
        return fields
    }

    /// `referralPage` of 4.x: nothing where the controller before is not tracked.
    func referral(_ page: UInt32) -> GrowingCompiledFields {
        if let fields = referrals[page] { return fields }
        let fields = GrowingCompiledFields([(.referralPage, .nonEmpty(pagePath(page)))])
        referrals[page] = fields
        return fields
    }

    /// What VIEW_CLICK and VIEW_CHANGE say of a view.
    func element(_ view: ViewReference) -> Element {
        let key = Self.key(view.screen, view.node)
        if let element = elements[key] { return element }
        let path = views.growingPath(ofNode: view.node, on: view.screen, form)
        let kind = views.node(view).kind
        let hasOwnText = [.segmentedControl, .toggle, .slider, .stepper, .backButton].contains(kind)
        let tree = views.trees[Int(view.screen)]
        let page = trackedPage(path.page, view.screen, tree)
        // In 3.x every view is on a page, sent or not.
        let tracked = page.flatMap { pagePath(view.screen, $0) } ?? (form == .joined ? path.path : nil)
        let element = Element(
            path: path,
            fields: GrowingCompiledFields([
                (.path, .nonEmpty(tracked)),
                (.textValue, hasOwnText ? nil : .nonEmpty(views.growingTextValue(view, form))),
                (.xpath, path.xpath.hasRow ? nil : .nonEmpty(path.xpath.head)),
                (.xcontent, path.xcontent.hasRow ? nil : .nonEmpty(path.xcontent.head)),
            ]), hasOwnText: hasOwnText, isInContainer: tree[page ?? path.page].kind.isContainer)
        elements[key] = element
        return element
    }

    /// The nearest page around a view that is tracked (`GrowingPageManager.m findAutotrackPageByPage:`).
    private func trackedPage(_ page: UInt16, _ screen: UInt16, _ tree: ViewTree) -> UInt16? {
        var node = page
        while node != ViewNode.none, pagePath(screen, node) == nil { node = tree[node].parent }
        return node == ViewNode.none ? nil : node
    }

    var trees: [ViewTree] { views.trees }

    /// The most bytes that a view's fields take.
    func sizeLimit(of view: ViewReference) -> Int {
        let element = element(view)
        let paths = [element.path.xpath, element.path.xcontent]
        return element.fields.json.count + paths.reduce(512) { $0 + $1.head.utf8.count + $1.tail.utf8.count }
    }

    /// The most bytes that the fields of a page in a web view take.
    var webLimit: Int {
        web.flatMap { [$0?.page, $0?.click, $0?.submit, $0?.custom] }.compactMap { $0?.json.count }.max() ?? 0
    }

    func textValue(_ view: ViewReference) -> String? { views.growingTextValue(view, form) }

    /// What a screen's page in a web view says; `nil` for screens without one.
    func webPage(_ screen: UInt16) -> WebPage? { Int(screen) < web.count ? web[Int(screen)] : nil }

    /// The fields that GrowingIO's script hands over the bridge (`GrowingHybridBridgeProvider.m`). What is
    /// clicked on a page is not in the app's description: one link, and one form. Neither has an `index`.
    ///
    /// - Parameter domain: 3.x: the app's bundle identifier, with which `readPropertyInTrackThread` replaces
    ///   the page's host (until 3.3.2). `nil` for 4.x, which sends the host, and `xcontent`.
    private static func web(_ page: Screen.WebPage, _ screen: Screen, domain: String?) -> WebPage {
        let parts = parse(page.url)
        let pageFields: [(GrowingField, GrowingEventBuilder.Value?)] = [
            (.domain, .nonEmpty(domain ?? parts.host)), (.path, .text(parts.path)),
            (.query, .nonEmpty(parts.query)),
        ]
        let indices: GrowingEventBuilder.Value? = domain == nil ? .text("/0/0/0/0") : nil
        return WebPage(
            page: GrowingCompiledFields(
                pageFields + [(.title, .nonEmpty(screen.title)), (.protocolType, .nonEmpty(parts.scheme))]),
            click: GrowingCompiledFields(
                pageFields + [
                    (.xpath, .text("/html/body/div/a")), (.xcontent, indices),
                    (.textValue, .nonEmpty(screen.title)), (.hyperlink, .text(page.url + "#more")),
                ]),
            submit: GrowingCompiledFields(
                pageFields + [
                    (.xpath, .text("/html/body/div/form")), (.xcontent, indices),
                    (.hyperlink, .text(page.url)),
                ]),
            custom: GrowingCompiledFields(pageFields))
    }

    /// Scheme, host, path and query of a page's address.
    private static func parse(_ url: String) -> (scheme: String, host: String, path: String, query: String) {
        let address = url.prefix { $0 != "#" }
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? String(parts[1]) : ""
        var rest = parts.isEmpty ? "" : parts[0]
        var scheme = ""
        if let mark = rest.firstRange(of: "://") {
            scheme = String(rest[..<mark.lowerBound])
            rest = rest[mark.upperBound...]
        }
        let host = rest.prefix { $0 != "/" }
        let path = rest[host.endIndex...]
        return (scheme, String(host), path.isEmpty ? "/" : String(path), query)
    }
}
