package import Accounting
import DeviceSDK

/// What the codeless SDK can capture; ``EventRecord/template`` is the case's number.
///
/// What a record's fields mean: the view or view controller, as `screen`, its node in `control`, and
/// ``AppModel/ViewReference/detail``; of a web view that did not load, the error is in the flags.
package enum CodelessTemplate: UInt16, CaseIterable, Sendable {
    // Names of the text, with its spelling.
    case pageCreate, pageShow, pageHide, pageDestroy
    case buttonClick, listItemClick, viewTap
    // Names of our choice: the text tells of the events only.
    case alertClick, reactNativeTap
    case scroll
    case webViewStart, webViewFinish, webViewFail

    /// `eventName`.
    package var name: String {
        switch self {
        case .pageCreate: "PageCreate"
        case .pageShow: "PageShow"
        case .pageHide: "PageHide"
        case .pageDestroy: "PageDestory"
        case .buttonClick: "ButtonClick"
        case .listItemClick: "ListItemClick"
        case .viewTap: "ViewTap"
        case .alertClick: "AlertClick"
        case .reactNativeTap: "RNViewTap"
        case .scroll: "Scroll"
        case .webViewStart: "WebViewStart"
        case .webViewFinish: "WebViewFinish"
        case .webViewFail: "WebViewFail"
        }
    }

    /// Type and name of each template, in order: `eventName` tells the kind, and nothing names the event.
    package static let labels = allCases.map { EventLabel(type: $0.name, name: "") }

    /// Whether the event tells of a view, with its path and its frame.
    var hasViewInfo: Bool {
        switch self {
        case .pageCreate, .pageShow, .pageHide, .pageDestroy: false
        default: true
        }
    }

    /// The group of hooks that it belongs to.
    func isOn(_ groups: CodelessRules.AutoTrack) -> Bool {
        switch self {
        case .pageCreate, .pageShow, .pageHide, .pageDestroy: groups.pages
        case .buttonClick, .listItemClick, .viewTap, .alertClick, .reactNativeTap: groups.clicks
        case .scroll: groups.scrolls
        case .webViewStart, .webViewFinish, .webViewFail: groups.webViews
        }
    }
}
