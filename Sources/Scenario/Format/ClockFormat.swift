import DeviceSDK
import Timebase

/// How far devices' clocks are off.
enum ClockFormat {
    /// `populations[].clockSkew`.
    static let form: Form<ClockRules> = .either(
        [
            (.string, deviation.map { value, _, _ in ClockRules(deviation: value) }),
            (.object, Form<ClockRules>.object(rules)),
        ], allowed: "a duration, or an object with keys of: \"sd\", \"outliers\"")

    private static let deviation = Form<Interval>.duration(.zero...(.hours(24 * 365)))

    private static let rules = ObjectDescription<ClockRules>(
        "Errors of clocks, normally distributed.", start: { ClockRules() },
        [
            Field("sd", \.deviation, deviation, "Their standard deviation."),
            Field(group: "outliers", outliers),
        ])

    /// 1 % of more than an hour is an assumption: no measurement was found.
    private static let outliers = ObjectDescription<ClockRules>(
        "Clocks that are wrong for good.", start: { ClockRules() },
        [
            Field("share", \.outlierShare, .share, required: true, "The share of the devices that have one."),
            Field(
                "sd", \.outlierDeviation, deviation, required: true,
                "The standard deviation of their errors, in the place of that of the others."),
        ])
}
