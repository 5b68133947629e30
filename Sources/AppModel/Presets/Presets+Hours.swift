package import Timebase

/// How active people are over the hours of a week. Sources: see the Models article.
extension Presets {
    /// Apps of all kinds: up in the morning, a peak at eight in the evening, a trough of a fifth at four; on
    /// Saturdays and Sundays later in the morning and 7 % more in all (Localytics 2015).
    package static let mobileHours = curve(
        WeekCurve(
            weekday: [
                0.50, 0.35, 0.26, 0.21, 0.20, 0.24, 0.36, 0.52, 0.60, 0.63, 0.65, 0.67,
                0.71, 0.70, 0.68, 0.70, 0.74, 0.80, 0.87, 0.95, 1.00, 0.98, 0.86, 0.68,
            ],
            weekend: [
                0.55, 0.42, 0.32, 0.26, 0.23, 0.22, 0.22, 0.35, 0.55, 0.75, 0.86, 0.92,
                0.93, 0.93, 0.93, 0.93, 0.94, 0.95, 0.96, 0.98, 1.00, 0.98, 0.88, 0.72,
            ].map { $0 * 0.948 }))

    /// Tools for work: days as Mixpanel saw them, hours of the office (an assumption).
    package static let businessHours = curve(
        WeekCurve(
            hours: [
                0.05, 0.04, 0.03, 0.03, 0.03, 0.05, 0.12, 0.30, 0.65, 0.95, 1.00, 0.98,
                0.75, 0.82, 0.98, 1.00, 0.92, 0.75, 0.48, 0.32, 0.28, 0.24, 0.16, 0.09,
            ],
            days: [1, 0.999, 0.998, 0.966, 0.802, 0.528, 0.637]))

    /// News: the peak at seven and eight in the morning (Localytics), an hour later on Saturdays and Sundays; the
    /// rest of the shape is an assumption.
    package static let newsHours = curve(
        WeekCurve(
            weekday: [
                0.30, 0.20, 0.15, 0.14, 0.18, 0.35, 0.75, 1.00, 0.98, 0.80, 0.68, 0.64,
                0.68, 0.62, 0.58, 0.58, 0.62, 0.68, 0.70, 0.72, 0.74, 0.66, 0.55, 0.42,
            ],
            weekend: [
                0.34, 0.24, 0.17, 0.14, 0.15, 0.22, 0.42, 0.76, 1.00, 0.98, 0.86, 0.76,
                0.70, 0.66, 0.62, 0.60, 0.62, 0.66, 0.68, 0.70, 0.72, 0.66, 0.55, 0.44,
            ]))

    /// Every hour alike.
    package static let flatHours = curve(WeekCurve([Double](repeating: 1, count: WeekCurve.hours)))

    /// By name, for scenarios.
    package static let hours: [(name: String, curve: WeekCurve)] = [
        ("mobile", mobileHours), ("b2b", businessHours), ("news", newsHours), ("flat", flatHours),
    ]

    private static func curve(_ curve: WeekCurve?) -> WeekCurve {
        guard let curve else { preconditionFailure("a preset's curve has its hours") }
        return curve
    }
}
