/// The views of one screen while it is shown: its view controller and those around it, and every view
/// on the way to something that can be tapped.
///
/// Made from the ``Screen`` alone, so it is the same on every device and in every run. Views that
/// nothing can be tapped in are only there as far as others count them as siblings.
package struct ViewTree: Sendable {
    package internal(set) var nodes: ContiguousArray<ViewNode> = []
    /// The screen's own view controller.
    package internal(set) var controller = ViewNode.none
    /// The controllers between the navigation controller and the screen's own, outermost first.
    package internal(set) var parents: [UInt16] = []
    /// The tab bar's controller; ``ViewNode/none`` in an app without tabs.
    package internal(set) var tabBarController = ViewNode.none
    package internal(set) var navigationController = ViewNode.none
    /// The back button that UIKit adds; ``ViewNode/none`` without a navigation controller.
    package internal(set) var backButton = ViewNode.none
    package internal(set) var webView = ViewNode.none
    /// The node of each control of the screen.
    package internal(set) var controls: [UInt16] = []
    /// The bar's item behind each control's view; ``ViewNode/none`` for controls outside of bars.
    package internal(set) var items: [UInt16] = []

    package subscript(node: UInt16) -> ViewNode { nodes[Int(node)] }

    /// The nearest node around, or at, another that fulfils a condition.
    ///
    /// - Complexity: O(depth).
    package func nearest(_ node: UInt16, where condition: (ViewNode) -> Bool) -> UInt16 {
        var node = node
        while node != ViewNode.none && !condition(self[node]) { node = self[node].parent }
        return node
    }

    /// The nodes from the nearest one that fulfils `isRoot` (or the outermost) to a node.
    ///
    /// - Complexity: O(depth).
    package func path(to node: UInt16, from isRoot: (ViewNode) -> Bool) -> [UInt16] {
        var path: [UInt16] = []
        var node = node
        while node != ViewNode.none {
            path.append(node)
            if isRoot(self[node]) { break }
            node = self[node].parent
        }
        return path.reversed()
    }
}
