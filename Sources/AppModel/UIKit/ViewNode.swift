/// A view, a view controller or a bar's item in a ``ViewTree``: what a hook can read from it.
package struct ViewNode: Hashable, Sendable {
    package var kind: ViewKind
    /// As `NSStringFromClass` tells it, with the module's name for classes of Swift.
    package var className: String
    /// The node around it; ``none`` for the outermost controller.
    package var parent: UInt16
    /// Index among the siblings of its class.
    package var classIndex: UInt16
    /// Index among all siblings.
    package var siblingIndex: UInt16
    /// The nearest cell, itself included; ``none`` outside of lists.
    package var cell = ViewNode.none
    /// The cell's section.
    package var section: UInt16 = 0
    package var tag = 0
    package var frame = Control.Frame(x: 0, y: 0, width: 0, height: 0)
    /// The text that it shows; empty for none.
    package var title = ""
    /// The developer's own id; empty for none. Of an alert, its message.
    package var identifier = ""
    /// The selector that a tap sends, and its target's class; empty for views that send none.
    package var action = ""
    package var target = ""
    /// The control of the description that it stands for; ``none`` for all others.
    package var control = ViewNode.none

    /// In place of a node that there is not.
    package static let none = UInt16.max

    init(_ kind: ViewKind, _ className: String, parent: UInt16, classIndex: UInt16, siblingIndex: UInt16) {
        self.kind = kind
        self.className = className
        self.parent = parent
        self.classIndex = classIndex
        self.siblingIndex = siblingIndex
    }

    /// The class without its Swift module.
    package var plainClassName: String { ViewNode.withoutModule(className) }

    /// A class name without its Swift module.
    package static func withoutModule(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return name }
        return String(name[name.index(after: dot)...])
    }
}

/// What a node is to UIKit.
package enum ViewKind: UInt8, CaseIterable, Sendable {
    case plain
    /// A screen's view controller, and one around it that is neither of the two below.
    case viewController
    case navigationController, tabBarController, alertController
    case button, segmentedControl, slider, toggle, stepper, control
    case tableCell, collectionCell, gestureView
    /// The view of a `UIBarButtonItem`, and the item itself, which is no view.
    case barButton, barItem
    /// The view of a `UITabBarItem`, and the item itself, which is no view.
    case tabButton, tabItem
    case backButton, alertAction, reactView
    case scrollView, tableView, collectionView, webView

    /// Controllers around the screen's own: they hold no content.
    package var isContainer: Bool { self == .navigationController || self == .tabBarController }

    /// Any `UIViewController`.
    package var isController: Bool {
        isContainer || self == .viewController || self == .alertController
    }

    /// A `UIControl`.
    package var isControl: Bool {
        switch self {
        case .button, .segmentedControl, .slider, .toggle, .stepper, .control, .barButton, .tabButton: true
        default: false
        }
    }

    /// Whether the event with which it sends its action is one of touches: switches act on a gesture
    /// recognizer and steppers on a timer, neither of which hands an event on.
    package var actsOnTouches: Bool { self != .toggle && self != .stepper }

    /// A view that scrolls.
    package var scrolls: Bool { self == .scrollView || self == .tableView || self == .collectionView }

    /// What a control of the description is.
    init(_ kind: Control.Kind) {
        self =
            switch kind {
            case .button: .button
            case .segmentedControl: .segmentedControl
            case .slider: .slider
            case .toggle: .toggle
            case .stepper: .stepper
            case .control: .control
            case .tableCell: .tableCell
            case .collectionCell: .collectionCell
            case .gesture: .gestureView
            case .barButton: .barButton
            case .tab: .tabButton
            case .alertAction: .alertAction
            case .reactView: .reactView
            }
    }

    /// What the name of a class says; plain views for all that say nothing.
    init(ofViewClass name: String) {
        let name = ViewNode.withoutModule(name)
        if name.hasSuffix("TableView") {
            self = .tableView
        } else if name.hasSuffix("CollectionView") {
            self = .collectionView
        } else if name.hasSuffix("ScrollView") {
            self = .scrollView
        } else if name.hasSuffix("WebView") {
            self = .webView
        } else {
            self = .plain
        }
    }
}

extension Control {
    /// ``kind``, or what the class says: rows are cells, classes of UIKit's controls and of React
    /// Native are what they are; of others, those that end in "View" are views with a gesture, the
    /// rest are controls.
    package var resolvedKind: Kind {
        if let kind { return kind }
        let name = ViewNode.withoutModule(className)
        if position != nil, name.hasSuffix("Cell") || name.hasSuffix("Row") || name.hasSuffix("Item") {
            return name.contains("Collection") || action.hasPrefix("collectionView:")
                ? .collectionCell : .tableCell
        }
        switch name {
        case "UISegmentedControl": return .segmentedControl
        case "UISlider": return .slider
        case "UISwitch": return .toggle
        case "UIStepper": return .stepper
        case "UITabBarButton", "UITabBarItem": return .tab
        case "UIBarButtonItem", "_UIButtonBarButton": return .barButton
        case "UIAlertAction": return .alertAction
        default: break
        }
        if alert != nil { return .alertAction }
        if name.hasSuffix("Button") { return .button }
        if name.hasPrefix("RCT") { return .reactView }
        return name.hasSuffix("View") ? .gesture : .control
    }
}
