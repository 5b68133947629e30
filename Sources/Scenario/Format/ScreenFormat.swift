import AppModel

/// A screen as decoded.
struct ScreenDraft: Sendable {
    var name: Located<String>?
    var className: String?
    var title = ""
    var url = ""
    var controls: [ControlDraft] = []
    var transitions: [Named<Double>] = []
    var web: WebDraft?
    var viewClass = "UIView"
    var parents: [String] = []
    var scroll: ScrollDraft?
    var properties: [Named<GeneratorDraft>] = []

    static let format: ObjectDescription<ScreenDraft> = ObjectDescription(
        "A view controller.", start: ScreenDraft.init,
        [
            Field(
                "name", \.name, Form<String>.text(limit: 100).located, required: true,
                "The name that the rest of the app uses."),
            Field(
                "class", \.className, .text(limit: 255),
                "Its class; by default the name with \"ViewController\"."),
            Field("title", \.title, .text(mayBeEmpty: true), "Its title."),
            Field("url", \.url, .text(limit: 4000, mayBeEmpty: true), "Its URL, if it gives one."),
            Field("controls", \.controls, .list(of: .object(ControlDraft.format)), "What can be tapped."),
            Field(
                "transitions", \.transitions, .map(of: .share),
                "Where users go next, by screen; what is missing to 1 ends the session."),
            Field("web", \.web, .object(WebDraft.format), "The web page that it shows."),
            Field("viewClass", \.viewClass, .text(limit: 255), "The class of the controller's view."),
            Field(
                "parents", \.parents, .list(of: .text(limit: 255), count: 0...20),
                "View controllers between the navigation controller and this one, outermost first."),
            Field(
                "scroll", \.scroll, .object(ScrollDraft.format),
                "How users scroll before they tap in a scroll view; by default not."),
            Field(
                "properties", \.properties, GeneratorDraft.properties,
                "What the app adds to the screen's preset events of the Sensors SDK (getTrackProperties)."),
        ])
}

/// A habit of scrolling as decoded.
struct ScrollDraft: Sendable {
    var chance: Double?
    var flick = Screen.Scroll(chance: 0).flick
    var toTop = Screen.Scroll(chance: 0).toTop

    static let format: ObjectDescription<ScrollDraft> = ObjectDescription(
        "How users scroll.", start: ScrollDraft.init,
        [
            Field(
                "chance", \.chance, .share, required: true,
                "Share of taps in a scroll view before which it was scrolled."),
            Field("flick", \.flick, .share, "Share of scrolls that go on after the finger has left."),
            Field(
                "toTop", \.toTop, .share,
                "Share of scrolls after which a tap on the status bar leads back to the top."),
        ])
}

/// A web page as decoded.
struct WebDraft: Sendable {
    var url: String?
    var serverHost = ""
    var serverProject = ""
    var viewClass = "UIWebView"
    var failures = 0.0

    static let format: ObjectDescription<WebDraft> = ObjectDescription(
        "A web page in the app.", start: WebDraft.init,
        [
            Field("url", \.url, .text(limit: 4000), required: true, "Its address."),
            Field(
                "serverHost", \.serverHost, .text(mayBeEmpty: true),
                "Its script's own collector, if another than the app's."),
            Field("serverProject", \.serverProject, .text(mayBeEmpty: true), "Its script's own project."),
            Field(
                "viewClass", \.viewClass, .text(limit: 255),
                "The class of the web view; a `WKWebView` tells nobody of its loads."),
            Field("failures", \.failures, .share, "Share of loads that fail."),
        ])
}

/// A control as decoded.
struct ControlDraft: Sendable {
    var className = "UIButton"
    var action: String?
    var target: String?
    var label = ""
    var identifier = ""
    var row: RowDraft?
    var frame: [Int] = []
    var opens: Located<String>?
    var weight = 1.0
    var kind: Control.Kind?
    var tag = 0
    var within: [Control.Ancestor] = []
    var classIndex: Int?
    var segments: [String] = []
    var alert: AlertDraft?
    var properties: [Named<GeneratorDraft>] = []

    static let format: ObjectDescription<ControlDraft> = ObjectDescription(
        "Something to tap.", start: ControlDraft.init,
        [
            Field("class", \.className, .text(limit: 255), "Its class."),
            Field(
                "action", \.action, .text(limit: 255), required: true,
                "The selector that a tap sends, such as \"buy:\"."),
            Field(
                "target", \.target, .text(limit: 255),
                "The class of the action's target; by default the screen's."),
            Field("label", \.label, .text(mayBeEmpty: true), "Its text."),
            Field(
                "identifier", \.identifier, .text(limit: 255, mayBeEmpty: true),
                "The developer's own id of the view."),
            Field("row", \.row, .object(RowDraft.format), "For a row of a list."),
            Field(
                "frame", \.frame, .list(of: .integer(-100_000...100_000), count: 4...4),
                "x, y, width and height in points."),
            Field("opens", \.opens, Form<String>.text().located, "The screen where a tap leads."),
            Field(
                "weight", \.weight, .number(0...1e6),
                "How often it is tapped, relative to the screen's others."),
        ] + view)

    private static let view = [
        Field(
            "kind", \ControlDraft.kind, .cases(what: "a kind of control"),
            "What UIKit calls for a tap on it; by default what its class says."),
        Field(
            "tag", \.tag, .integer(-2_147_483_648...2_147_483_647),
            "Its tag, a number that its developers set."),
        Field(
            "within", \.within, .list(of: .ancestor, count: 0...100),
            "The views between the controller's view and this one, outermost first; by default the "
                + "list of a row, and the target if that is a view."),
        Field(
            "place", \.classIndex, .integer(0...AppDescription.classIndexLimit - 1),
            "Its place among the siblings of its class; by default the next."),
        Field(
            "segments", \.segments, .list(of: .text(mayBeEmpty: true), count: 0...100),
            "The titles of a segmented control; the one chosen is drawn per tap."),
        Field(
            "alert", \.alert, .object(AlertDraft.format),
            "The alert that this is a button of; buttons of one screen that name the same texts share it."),
        Field(
            "properties", \.properties, GeneratorDraft.properties,
            "What the app adds to $AppClick of the Sensors SDK (sensorsAnalyticsViewProperties)."),
    ]
}

/// An alert's texts as decoded.
struct AlertDraft: Sendable {
    var title: String?
    var message = ""
    var style = Control.Alert.Style.alertController

    static let format: ObjectDescription<AlertDraft> = ObjectDescription(
        "What an alert says.", start: AlertDraft.init,
        [
            Field("title", \.title, .text(mayBeEmpty: true), required: true, "Its title."),
            Field("message", \.message, .text(mayBeEmpty: true), "Its message."),
            Field(
                "style", \.style, .cases(what: "a style of alerts"),
                "The class that shows it: a `UIAlertController`, or one of those before iOS 8."),
        ])
}

extension Form where Value == Control.Ancestor {
    /// A view around a control: its class, then its index among the siblings of its class if that is
    /// not the first, or `[row]` for the cell of the control's row.
    static let ancestor = Form<String>.matching(
        pattern: #"^[^\[\]]{1,255}(\[(row|[0-9]{1,3})\])?$"#,
        what: "a class such as \"UIScrollView\", \"ProductView[1]\" or \"ProductCell[row]\""
    ) { text in
        guard let bracket = text.firstIndex(of: "[") else { return named(text) }
        let inner = text[text.index(after: bracket)...]
        guard inner.last == "]", var ancestor = named(String(text[..<bracket])) else { return nil }
        if inner == "row]" {
            ancestor.isCell = true
            return ancestor
        }
        let digits = inner.dropLast()
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let classIndex = UInt16(digits)
        else { return nil }
        ancestor.classIndex = classIndex
        return ancestor
    }

    private static func named(_ name: String) -> Control.Ancestor? {
        let isName =
            !name.isEmpty && name.unicodeScalars.count <= 255 && !name.contains("]")
            && !name.unicodeScalars.contains("\u{0}")
        return isName ? Control.Ancestor(name) : nil
    }
}

/// A control's position in a list as decoded.
struct RowDraft: Sendable {
    var section = 0
    var rows = 1

    static let format: ObjectDescription<RowDraft> = ObjectDescription(
        "A row of a list.", start: RowDraft.init,
        [
            Field("section", \.section, .integer(0...65_535), "Its section."),
            Field(
                "rows", \.rows, .integer(1...65_535),
                "Rows to choose from; the one tapped is drawn "
                    + "per tap."),
        ])
}
