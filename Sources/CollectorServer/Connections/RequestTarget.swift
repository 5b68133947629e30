import CollectorModel
import Foundation
import NIOHTTP1

/// A request's target, cut at the question mark; an absolute URL loses its scheme and host.
struct RequestTarget: Equatable {
    var path: String
    var query: String

    init(_ uri: String) {
        var rest = uri.utf8[...]
        if rest.first != UInt8(ascii: "/"), let scheme = uri.range(of: "://") {
            let authority = uri.utf8[scheme.upperBound...]
            let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            rest = authority[(end ?? authority.endIndex)...]
        }
        let cut = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = String(Substring(rest[..<cut]))
        query = cut < rest.endIndex ? String(Substring(rest[rest.index(after: cut)...])) : ""
    }

    /// Whether the server answers by itself, without the collector.
    func isLocal(_ method: HTTPMethod) -> Bool {
        (method == .GET || method == .HEAD) && CollectorServer.ownPaths.contains(path)
    }
}

extension CollectedRequest.Method {
    init(_ method: HTTPMethod) {
        switch method {
        case .GET: self = .get
        case .POST: self = .post
        case .PUT: self = .put
        default: self = .other
        }
    }
}

extension CollectedHeaders {
    /// Takes out what decoders ask for. The texts stay shared: nothing is copied.
    init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            if let header = CollectedHeader(name: name) { self[header] = value }
        }
    }
}
