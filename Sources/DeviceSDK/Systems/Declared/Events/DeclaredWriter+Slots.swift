import DeviceSDK
import SDKDescription
import Timebase
import Wire
import World

/// What placeholders stand for: text without quotes, escaped.
extension DeclaredWriter {
    /// Whether an event has no such value.
    func isAbsent(_ source: Placeholder.Source) -> Bool {
        switch source {
        case .userID: epoch.account == nil || identity.login == .none
        case .deviceCarrier: traits.carrierName == nil
        case .sessionPreviousID: epoch.session < 2
        default: program.screens.text(source, of: record, isTap: record.template == taps) == nil
        }
    }

    mutating func write(_ source: Placeholder.Source, _ form: DeclaredSlotForm, to out: inout WireBuffer) {
        guard form.letters != .own else { return write(source, form.time, to: &out) }
        let start = out.count
        write(source, form.time, to: &out)
        memory.scratch.removeAll()
        out.withUnsafeBytes { bytes in
            memory.scratch.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        out.truncate(to: start)
        // An escape such as \n would become another one.
        let text = memory.scratch.text
        guard !text.contains("\\") else { return out.append(text) }
        out.append(form.letters == .upper ? text.uppercased() : text.lowercased())
    }

    private func write(
        _ source: Placeholder.Source, _ time: DeclaredSlotForm.Time, to out: inout WireBuffer
    ) {
        switch source {
        case .time: write(record.capturedAt, time, to: &out)
        case .sent: write(sentAt, time, to: &out)
        case .sessionStart: write(epoch.sessionStart, time, to: &out)
        case .id:
            out.appendID(
                eventID, traits.eventIDs.child(UInt64(record.sequence)),
                at: record.capturedAt + traits.clockSkew)
        case .row: out.appendDecimal(UInt64(record.sequence) + 1)
        case .sessionEventIndex: out.appendDecimal(Int64(record.sequence) - Int64(epoch.sessionFirst) + 1)
        case .screenName, .screenClass, .screenTitle, .screenPreviousName, .elementText, .elementClass:
            if let text = program.screens.text(source, of: record, isTap: record.template == taps) {
                out.append(contentsOf: text)
            }
        default: writeStable(source, to: &out)
        }
    }

    private func write(_ moment: Instant, _ time: DeclaredSlotForm.Time, to out: inout WireBuffer) {
        let local = moment + traits.clockSkew
        switch time {
        case .iso: out.appendISO(local)
        case .milliseconds: out.appendDecimal(local.milliseconds)
        case .seconds: out.appendDecimal(local.milliseconds / 1000)
        case .microseconds: out.appendDecimal(local.milliseconds * 1000)
        case .nanoseconds: out.appendDecimal(local.milliseconds * 1_000_000)
        }
    }

    private func writeStable(_ source: Placeholder.Source, to out: inout WireBuffer) {
        switch source {
        case .apiKey, .account, .appName, .appID: out.appendInside(program.population.text(source))
        case .deviceID:
            out.appendID(.uuid, traits.vendor(ofInstallation: epoch.installation), at: epoch.anonymousSince)
        case .deviceModel: out.append(traits.machine)
        case .deviceWidth: out.appendDecimal(traits.width)
        case .deviceHeight: out.appendDecimal(traits.height)
        case .deviceCarrier: out.appendInside(traits.carrierName ?? "")
        case .osVersion: out.append(traits.osVersion)
        case .appVersion: out.append(contentsOf: program.versions[Int(epoch.appVersion)])
        case .appBuild: out.appendDecimal(Int(epoch.appVersion) + 1)
        case .networkWifi: out.appendJSON(epoch.network == .wifi)
        case .networkCellular: out.appendJSON(epoch.network != .wifi && epoch.network != .none)
        case .foregroundIndex: out.appendDecimal(UInt64(epoch.foregrounds))
        case .backgroundIndex: out.appendDecimal(UInt64(epoch.backgrounds))
        default: writeIdentity(source, to: &out)
        }
    }

    private func writeIdentity(_ source: Placeholder.Source, to out: inout WireBuffer) {
        switch source {
        case .identified: out.appendJSON(!isAbsent(.userID))
        case .userID: if let account = epoch.account { traits.appendUserID(account, to: &out) }
        case .anonymousID: writeAnonymous(to: &out)
        case .distinctID:
            if identity.login == .distinctId, let account = epoch.account {
                traits.appendUserID(account, to: &out)
            } else {
                out.appendInside(identity.prefix)
                writeAnonymous(to: &out)
            }
        case .sessionID: writeSession(epoch.session, epoch.sessionStart, to: &out)
        case .sessionPreviousID: writeSession(epoch.session - 1, epoch.previousStart, to: &out)
        case .sessionIndex: out.appendDecimal(UInt64(epoch.session))
        default: break
        }
    }

    private func writeAnonymous(to out: inout WireBuffer) {
        let kind: DescribedSDK.Identity.Kind =
            switch identity.anonymous {
            case .uuid, .vendor: .uuid
            case .uuid7: .uuid7
            case .hex16: .hex16
            }
        let stream =
            identity.anonymous == .vendor
            ? traits.vendor(ofInstallation: epoch.installation) : traits.anonymous(epoch.anonymousGeneration)
        out.appendID(kind, stream, at: epoch.anonymousSince + traits.clockSkew)
    }

    private func writeSession(_ session: UInt32, _ start: Instant, to out: inout WireBuffer) {
        let kind: DescribedSDK.Identity.Kind
        switch identity.session.id {
        case .ms: return write(start, .milliseconds, to: &out)
        case .uuid: kind = .uuid
        case .uuid7: kind = .uuid7
        case .hex16: kind = .hex16
        }
        out.appendID(kind, traits.session(session), at: start + traits.clockSkew)
    }
}

extension WireBuffer {
    /// Appends the inside of a string.
    fileprivate mutating func appendInside(_ text: String) {
        var text = text
        text.withUTF8 { appendJSONEscaped(utf8: UnsafeRawBufferPointer($0)) }
    }
}
