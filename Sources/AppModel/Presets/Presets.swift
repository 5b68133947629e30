/// Apps and personas that a scenario may name. Sources of the numbers: see the Models article.
package enum Presets {
    /// Names of ``app(named:)``, in the order in which they are listed to users.
    package static let appNames = ["shop", "news", "game"]
    /// Names of ``persona(named:)``.
    package static let personaNames = ["casual", "power", "micro", "heavy", "b2b", "reader", "bot", "steady"]

    /// The app of that name, or `nil`.
    package static func app(named name: String) -> AppDescription? {
        switch name {
        case "shop": shop
        case "news": news
        case "game": game
        default: nil
        }
    }

    /// The persona of that name, or `nil`.
    package static func persona(named name: String) -> PersonaDescription? {
        switch name {
        case "casual": casual
        case "power": power
        case "micro": micro
        case "heavy": heavy
        case "b2b": b2b
        case "reader": reader
        case "bot": bot
        case "steady": steady
        default: nil
        }
    }
}
