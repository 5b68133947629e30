import Accounting
import Wire

extension ReportCodec<DeviceSpread> {
    static var spread: ReportCodec {
        object(
            DeviceSpread(captured: .init(mean: 0, standardError: 0)),
            [
                ReportField("captured", \.captured, .estimate),
                .rare("gone", \.gone, .estimate),
            ])
    }
}

extension ReportCodec<DeviceSpread.Estimate> {
    fileprivate static var estimate: ReportCodec {
        object(
            DeviceSpread.Estimate(mean: 0, standardError: 0),
            [
                ReportField("mean", \.mean, .real),
                ReportField("standard_error", \.standardError, .real),
            ])
    }
}
