/// A view controller.
package struct Screen: Hashable, Sendable {
    /// The name by which transitions and triggers speak of it.
    package var name: String
    package var className: String
    package var title: String
    /// For screens that give one (`SAScreenAutoTracker`); empty otherwise.
    package var url = ""
    package var controls: [Control] = []
    /// Where users go next; what is missing to 1 ends the session.
    package var transitions: [Transition] = []
    /// Set for a screen that shows a web page.
    package var web: WebPage?
    /// The class of the view controller's view.
    package var viewClass = "UIView"
    /// View controllers between the navigation controller and this one, outermost first, such as
    /// `UIPageViewController`.
    package var parents: [String] = []
    /// What the app tells of the screen on top (`getTrackProperties` of `SAAutoTracker`).
    package var properties: [PropertyRule] = []
    /// How users scroll before they tap something in a scroll view; `nil` for never.
    package var scroll: Scroll?

    package init(name: String, className: String, title: String) {
        self.name = name
        self.className = className
        self.title = title
    }

    package struct Transition: Hashable, Sendable {
        package var screen: UInt16
        package var probability: Double
        package init(screen: UInt16, probability: Double) {
            self.screen = screen
            self.probability = probability
        }
    }

    /// The page of a web view and the collector that its own script was set up with; empty host and
    /// project stand for those of the app.
    package struct WebPage: Hashable, Sendable {
        package var url: String
        package var serverHost = ""
        package var serverProject = ""
        /// The class of the web view. The loads of a `UIWebView` are told to its delegate; a
        /// `WKWebView` has none of that protocol.
        package var viewClass = "UIWebView"
        /// Share of loads that fail.
        package var failures = 0.0
        package init(url: String) { self.url = url }
    }

    /// How users scroll.
    package struct Scroll: Hashable, Sendable {
        /// Share of taps in a scroll view before which it was scrolled.
        package var chance: Double
        /// Share of scrolls that go on after the finger has left.
        package var flick = 0.7
        /// Share of scrolls after which a tap on the status bar leads back to the top.
        package var toTop = 0.05
        package init(chance: Double) { self.chance = chance }
    }
}
