extension Threshold {
    /// What a load has to keep where a scenario asks for nothing: a hundredth of failed requests, and no
    /// event lost.
    package static let assumedOfLoads = [
        Threshold(
            metric: "http_req_failed", population: nil, expression: "rate<0.01", aggregation: .rate,
            comparison: .less, bound: 0.01),
        Threshold(
            metric: "events_lost", population: nil, expression: "rate==0", aggregation: .rate,
            comparison: .equal, bound: 0),
    ]
}
