/// An end of a store: which rows a full one gives up, and which leave first.
package enum StoreEnd: String, CaseIterable, Sendable {
    case oldest, newest
}
