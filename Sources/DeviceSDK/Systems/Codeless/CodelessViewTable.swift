import AppModel
import DeviceSDK
import Wire

/// What events tell of views, rendered once for each: the page, and `viewInfo` as far as it is the same for
/// all rows of a list.
struct CodelessViewTable: Sendable {
    private struct View: Sendable {
        /// The class of the page that an event on the view tells.
        var page: String
        var className: String
        var path: RowText
        /// Empty for a view whose frame the app's description does not tell.
        var frame: String
        /// The MD5 of a path without a row.
        var viewID: String
    }

    /// By screen and node.
    private let table: [[View]]

    init(views: AppViews) {
        table = views.trees.enumerated().map { screen, tree in
            tree.nodes.indices.map { node in
                let view = ViewReference(screen: UInt16(screen), node: UInt16(node))
                let path = tree.viewPath(to: view.node)
                let frame = tree[view.node].frame
                let isKnown = frame.width != 0 || frame.height != 0
                return View(
                    page: CodelessViewTable.page(of: view.node, tree), className: tree[view.node].className,
                    path: path, frame: isKnown ? views.frameText(view) : "",
                    viewID: path.hasRow ? "" : MD5.hexadecimal(of: path.head))
            }
        }
    }

    /// The class of the nearest view controller; for what is in a bar or in an alert, of the page that is
    /// shown, since every bar's controller has the same.
    private static func page(of node: UInt16, _ tree: ViewTree) -> String {
        let nearest = tree.nearest(node) { $0.kind.isController }
        guard nearest != ViewNode.none, tree[nearest].kind == .viewController else {
            return tree[tree.controller].className
        }
        return tree[nearest].className
    }

    private subscript(view: ViewReference) -> View { table[Int(view.screen)][Int(view.node)] }

    /// `pageName`: of an event about a page, that page itself.
    func pageName(_ view: ViewReference, isPage: Bool) -> String {
        isPage ? self[view].className : self[view].page
    }

    /// `viewId`: the MD5 of the view's path.
    func viewID(of view: ViewReference) -> String {
        let entry = self[view]
        return entry.path.hasRow ? MD5.hexadecimal(of: entry.path.text(row: view.row)) : entry.viewID
    }

    /// Appends the fields of `ViewInfo`.
    func writeInfo(of view: ViewReference, views: AppViews, to out: inout WireBuffer) {
        let entry = self[view]
        out.appendPresent(1, entry.className)
        out.appendPresent(2, entry.path.text(row: view.row))
        out.appendPresent(3, entry.frame)
        out.appendPresent(4, views.title(view))
        out.appendPresent(5, viewID(of: view))
    }
}
