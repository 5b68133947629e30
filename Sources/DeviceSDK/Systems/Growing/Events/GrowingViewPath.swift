import AppModel
import DeviceSDK

/// What GrowingIO reads from a view that is clicked or changed.
struct GrowingViewPath: Hashable, Sendable {
    /// How a version writes where a view is.
    enum Form: Sendable, CaseIterable {
        /// 3.2.1: `/Page/UIView[0]/UITableView[0]/Section[1]/Cell[-]`.
        case joined
        /// 4.11.0: the classes in `xpath`, the indices in `xcontent`, from the outermost controller.
        case split
    }

    /// The node of the view controller whose page the view is on.
    var page: UInt16
    /// The path of that page. 4.x has this one if all pages are tracked
    /// (`autotrackAllPages`: the controller's class is its alias), else none.
    var path: String
    var xpath: RowText
    /// Empty in 3.x.
    var xcontent: RowText
    /// What stands in `index` if that is not the row's: 3.x -1, 4.x 0, which both leave out; `nil` if
    /// ``index(row:value:)`` goes by the row, or by the segment.
    var source: IndexSource
    /// What is added to the row: 1 in 4.x.
    var indexBase: Int32

    /// Where `index` comes from.
    enum IndexSource: Hashable, Sendable { case none, row, segment }

    /// The `index` of a view; `nil` where the field is left out.
    func index(_ view: ViewReference) -> Int32? {
        switch source {
        case .none: nil
        case .row: Int32(view.row) + indexBase
        case .segment: Int32(view.value) + indexBase
        }
    }
}

// Source: growingio-sdk-ios-autotracker, GrowingAutotrackerCore/GrowingNode/GrowingNodeHelper.m,
// GrowingViewNode.m, Category/UIView+GrowingNode.m, UITableView+GrowingNode.m,
// UICollectionView+GrowingNode.m, UISegmentedControl+GrowingNode.m, UIAlertController+GrowingNode.m and
// Page/GrowingPage.m, at tag 3.2.1 and at 4.11.0.
extension AppViews {
    /// Where a view is.
    ///
    /// - Complexity: O(depth), with allocations: for tables made once.
    func growingPath(
        ofNode node: UInt16, on screen: UInt16, _ form: GrowingViewPath.Form
    ) -> GrowingViewPath {
        let tree = trees[Int(screen)]
        let steps = growingSteps(to: node, in: tree)
        let page = growingPage(of: node, in: tree)
        let isInList = tree[node].cell != ViewNode.none
        let isSegmented = tree[node].kind == .segmentedControl
        return GrowingViewPath(
            page: page, path: growingPagePath(ofController: page, in: tree, form),
            xpath: form == .joined
                ? xpath3(of: steps, in: tree, from: node) : xpath4(of: steps, page, in: tree),
            xcontent: form == .joined ? RowText("") : xcontent4(of: steps, page, in: tree),
            source: isSegmented ? .segment : isInList ? .row : .none, indexBase: form == .joined ? 0 : 1)
    }

    /// The text of a view, cut to 50 characters: a label's, a segment's; in 4.x also whether a switch
    /// is on and a slider's whole value. `nil` for none.
    func growingTextValue(_ view: ViewReference, _ form: GrowingViewPath.Form) -> String? {
        let text: String
        switch node(view).kind {
        case .toggle: text = form == .joined ? "" : view.value == 0 ? "false" : "true"
        case .slider: text = form == .joined ? "" : view.value > 500 ? "1" : "0"
        case .stepper: text = ""
        default: text = title(view)
        }
        return text.isEmpty ? nil : String(text.prefix(50))
    }

    /// The path of a view controller's page.
    ///
    /// 3.x: the classes of at most three controllers, each with its index among those of its class
    /// unless nothing is around it, and `*` in front if there are more. 4.x: its class, as alias.
    func growingPagePath(
        ofController node: UInt16, on screen: UInt16, _ form: GrowingViewPath.Form
    ) -> String {
        growingPagePath(ofController: node, in: trees[Int(screen)], form)
    }

    private func growingPagePath(
        ofController node: UInt16, in tree: ViewTree, _ form: GrowingViewPath.Form
    ) -> String {
        if form == .split { return "/" + tree[node].className }
        let controllers = tree.path(to: node) { $0.parent == ViewNode.none }
        let names = controllers.suffix(3).map { controller in
            let step = tree[controller]
            return step.parent == ViewNode.none
                ? "/\(step.className)" : "/\(step.className)[\(step.classIndex)]"
        }
        return (controllers.count > 3 ? "*" : "") + names.joined()
    }

    /// The controller whose page a view is on: the nearest that is no alert.
    private func growingPage(of node: UInt16, in tree: ViewTree) -> UInt16 {
        tree.nearest(node) { $0.kind.isController && $0.kind != .alertController }
    }
}

// MARK: Paths of views

/// A step of a path: a view, or what GrowingIO makes of one.
private struct GrowingStep {
    var name: String
    /// `nil` for the row, which is hidden in the last step.
    var classIndex: UInt16?
    /// Of a cell, which stands for two steps: `Section` and its class.
    var section: UInt16?
    var isController = false
}

extension AppViews {
    /// The steps from the nearest controller's view to a view, private views left out. Of a segmented
    /// control the segment is meant, two views deeper.
    private func growingSteps(to node: UInt16, in tree: ViewTree) -> [GrowingStep] {
        let ignored = [
            "_UIAlertControllerPhoneTVMacView", "_UIAlertControllerView", "UITableViewWrapperView",
        ]
        var steps: [GrowingStep] = []
        for ancestor in tree.path(to: node, from: { $0.kind.isController }).dropFirst() {
            let step = tree[ancestor]
            guard !ignored.contains(step.className) else { continue }
            if step.cell == ancestor {
                steps.append(GrowingStep(name: step.className, classIndex: nil, section: step.section))
            } else if step.kind == .alertAction {
                steps.append(GrowingStep(name: "Button", classIndex: actionIndex(of: ancestor, in: tree)))
            } else {
                steps.append(GrowingStep(name: step.className, classIndex: step.classIndex))
            }
        }
        if tree[node].kind == .segmentedControl {
            steps += [GrowingStep(name: "UIView", classIndex: 0), GrowingStep(name: "UIView", classIndex: 0)]
            steps.append(GrowingStep(name: "UISegment", classIndex: nil))
        }
        return steps
    }

    /// The index of an action among its alert's.
    private func actionIndex(of node: UInt16, in tree: ViewTree) -> UInt16 {
        let alert = tree.nearest(node) { $0.kind == .alertController }
        let before = (0..<node).filter {
            tree[$0].kind == .alertAction
                && tree.nearest($0, where: { $0.kind == .alertController }) == alert
        }
        return UInt16(before.count)
    }

    /// `/Page`, the controllers that have no page of their own, and the views below the controller's
    /// own view, each with its index; of a cell the section, and the row unless it is the view itself.
    private func xpath3(of steps: [GrowingStep], in tree: ViewTree, from node: UInt16) -> RowText {
        var text = RowText("/Page")
        let controller = tree[tree.nearest(node) { $0.kind.isController }]
        // The private view of an alert is its controller's view, and is left out in any case.
        let isAlert = controller.kind == .alertController
        if isAlert { text.append("/UIAlertController") }
        let views = isAlert ? steps[...] : steps.dropFirst()
        for (index, step) in zip(views.indices, views) {
            let isLast = index == steps.count - 1
            if let section = step.section { text.append("/Section[\(section)]") }
            text.append("/\(step.name)[")
            if let classIndex = step.classIndex {
                text.append(String(classIndex))
            } else if isLast {
                text.append("-")
            } else {
                text.appendRow()
            }
            text.append("]")
        }
        return text
    }

    /// The classes of the page's controllers, then of all views.
    private func xpath4(of steps: [GrowingStep], _ page: UInt16, in tree: ViewTree) -> RowText {
        var text = RowText("")
        for controller in tree.path(to: page, from: { $0.parent == ViewNode.none }) {
            text.append("/\(tree[controller].className)")
        }
        for step in steps { text.append((step.section == nil ? "/" : "/Section/") + step.name) }
        return text
    }

    /// The indices of what ``xpath4(of:_:in:)`` names; rows as `-`.
    private func xcontent4(of steps: [GrowingStep], _ page: UInt16, in tree: ViewTree) -> RowText {
        var text = RowText("")
        for controller in tree.path(to: page, from: { $0.parent == ViewNode.none }) {
            text.append("/\(tree[controller].classIndex)")
        }
        for step in steps {
            if let section = step.section { text.append("/\(section)") }
            text.append(step.classIndex.map { "/\($0)" } ?? "/-")
        }
        return text
    }
}
