import AppModel

/// What `$AppClick` tells of a control: its id, type, text and place, as the version reads them.
///
/// Sources: sa-sdk-ios v1.10.17 (`UIApplication+AutoTrack.m`, `AutoTrackUtils.m`, `SensorsAnalyticsSDK.m`
/// `trackGestureRecognizerAppClick:`, `sa_imp_setJSResponderBlockNativeResponder`) and v4.9.1
/// (`UIRelated/UIView+SAElementType.m`, `…Content.m`, `…Position.m`, `SAUIProperties.m`,
/// `ElementInfo/SAViewElementInfo.m`).
struct SensorsElement {
    enum Place: Equatable {
        case nowhere
        case fixed(String)
        /// `section:row`.
        case row(section: UInt16)
        /// The number of the value that the control was set to.
        case value
    }

    let identifier: String
    let type: String
    /// The text that it shows; empty for none, and where ``contents`` has the texts.
    let content: String
    /// By ``ViewReference/value``: the texts of a control that can be set.
    let contents: [String]
    let place: Place
    /// `$element_path`; `nil` in 1.x.
    let path: RowText?

    init(_ index: UInt16, on screen: UInt16, _ views: AppViews, _ version: SensorsRules.Version) {
        let control = views.app.screens[Int(screen)].controls[Int(index)]
        let tree = views.tree(of: screen)
        let node = tree.controls[Int(index)]
        let kind = tree[node].kind
        contents = Self.contents(kind, control, count: views.valueCount(ofControl: index, on: screen))
        let text = contents.isEmpty ? control.label : ""
        guard version == .v4 else {
            type = Self.earlyType(kind, control)
            // Of React Native's views only the label is read; of an image its name.
            identifier = kind == .reactView ? "" : control.identifier
            content = type == "UIImageView" && !text.isEmpty ? "$" + text : text
            place = Self.earlyPlace(kind, control, tree[node])
            path = nil
            return
        }
        type = Self.recentType(kind, control, node, tree)
        identifier = control.identifier
        content = text
        place = Self.recentPlace(kind, control, tree[node])
        // Of an alert, the button is read that holds the action's own view.
        path = tree.elementPath(to: kind == .alertAction ? tree[node].parent : node)
    }

    private static func contents(_ kind: ViewKind, _ control: Control, count: Int) -> [String] {
        switch kind {
        case .segmentedControl: control.segments.isEmpty ? [control.label] : control.segments
        case .toggle: ["unchecked", "checked"]
        case .slider: (0..<count).map { AppViews.sliderText(UInt16($0)) }
        case .stepper: (0..<count).map { String($0) }
        default: []
        }
    }

    // MARK: 1.x

    private static func earlyType(_ kind: ViewKind, _ control: Control) -> String {
        switch kind {
        case .tableCell: "UITableView"
        case .collectionCell: "UICollectionView"
        case .button: "UIButton"
        case .segmentedControl: "UISegmentedControl"
        case .slider: "UISlider"
        case .toggle: "UISwitch"
        case .stepper: "UIStepper"
        case .control, .barButton: "UIControl"
        case .reactView: "RNView"
        default: earlyGestureType(of: control.className) ?? control.className
        }
    }

    /// The class of UIKit's whose gestures 1.x hears of and which a view's class is or, by its name, inherits
    /// from; `nil` for all other views.
    static func earlyGestureType(of className: String) -> String? {
        let name = ViewNode.withoutModule(className)
        if name.hasSuffix("ImageView") { return "UIImageView" }
        return name.hasSuffix("Label") ? "UILabel" : nil
    }

    private static func earlyPlace(_ kind: ViewKind, _ control: Control, _ node: ViewNode) -> Place {
        switch kind {
        case .segmentedControl: .value
        case .tableCell, .collectionCell: .row(section: control.position?.section ?? node.section)
        default: .nowhere
        }
    }

    // MARK: 4.x

    private static func recentType(
        _ kind: ViewKind, _ control: Control, _ node: UInt16, _ tree: ViewTree
    ) -> String {
        switch kind {
        case .tableCell, .collectionCell:
            let list = tree.nearest(node) { $0.kind == .tableView || $0.kind == .collectionView }
            guard list == ViewNode.none else { return tree[list].className }
            return kind == .tableCell ? "UITableView" : "UICollectionView"
        case .barButton: return "UIBarButtonItem"
        case .tabButton: return "UITabBarItem"
        case .alertAction:
            switch control.alert?.style ?? .alertController {
            case .alertController: return "UIAlertController"
            case .alertView: return "UIAlertView"
            case .actionSheet: return "UIActionSheet"
            }
        default: return control.className
        }
    }

    /// A view in a cell has the cell's place.
    private static func recentPlace(_ kind: ViewKind, _ control: Control, _ node: ViewNode) -> Place {
        switch kind {
        case .segmentedControl: .value
        case .tabButton: .fixed(String(node.classIndex))
        case .alertAction: .nowhere
        default:
            if let position = control.position {
                .row(section: position.section)
            } else if node.cell != ViewNode.none {
                .row(section: node.section)
            } else {
                .nowhere
            }
        }
    }
}
