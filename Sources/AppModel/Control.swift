/// Something to tap.
package struct Control: Hashable, Sendable {
    package var className: String
    /// The selector that the tap sends, such as `buy:`.
    package var action: String
    /// The class of the action's target.
    package var target: String
    package var label: String
    /// The developer's own id of the view; empty where none is set.
    package var identifier = ""
    /// Row in a list (`section:row` when captured), or `nil` for a control that is not in one.
    package var position: Position?
    package var frame = Frame(x: 0, y: 0, width: 0, height: 0)
    /// Where a tap leads, or `nil` if it stays on the screen.
    package var opens: UInt16?
    /// How often this control is tapped, relative to the screen's others.
    package var weight = 1.0
    /// What it is to UIKit; by default what its class says.
    package var kind: Kind?
    /// `UIView.tag`.
    package var tag = 0
    /// The views between the view controller's view and this one, outermost first; by default the
    /// list of a row, and the target's view if the target is a view.
    package var within: [Ancestor] = []
    /// Its index among the siblings of its class; by default the next that is free.
    package var classIndex: UInt16?
    /// The titles of a segmented control.
    package var segments: [String] = []
    /// The alert that an action belongs to.
    package var alert: Alert?
    /// What the app tells of the view on top (`sensorsAnalyticsViewProperties`).
    package var properties: [PropertyRule] = []

    package init(className: String, action: String, target: String, label: String) {
        self.className = className
        self.action = action
        self.target = target
        self.label = label
    }

    package struct Position: Hashable, Sendable {
        package var section: UInt16
        /// Rows to choose from; the row tapped is drawn per tap.
        package var rows: UInt16
        package init(section: UInt16, rows: UInt16) {
            self.section = section
            self.rows = rows
        }
    }

    /// Points.
    package struct Frame: Hashable, Sendable {
        package var x, y, width, height: Int
        package init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }
}

extension Control {
    /// What can be tapped, by what UIKit calls for it.
    package enum Kind: String, CaseIterable, Sendable {
        case button, segmentedControl, slider, toggle = "switch", stepper
        /// Any other `UIControl`.
        case control
        case tableCell, collectionCell
        /// A view with a tap gesture recognizer.
        case gesture
        /// A `UIBarButtonItem` in the navigation bar.
        case barButton
        /// An item of the tab bar.
        case tab
        /// A button of an alert.
        case alertAction
        /// A view of React Native.
        case reactView
    }

    /// A view around another.
    package struct Ancestor: Hashable, Sendable {
        package var className: String
        /// Its index among the siblings of its class.
        package var classIndex: UInt16 = 0
        /// It is the cell whose row the control's ``Control/position`` tells.
        package var isCell = false
        package init(_ className: String) { self.className = className }
    }

    /// What an alert says.
    package struct Alert: Hashable, Sendable {
        package var title: String
        package var message: String
        package var style = Style.alertController
        package init(title: String, message: String) {
            self.title = title
            self.message = message
        }

        /// The class that shows it, and so the call that tells the app of the answer. Since iOS 8 the
        /// older two are made of an alert controller themselves.
        package enum Style: String, CaseIterable, Sendable {
            case alertController, alertView, actionSheet
        }
    }
}
