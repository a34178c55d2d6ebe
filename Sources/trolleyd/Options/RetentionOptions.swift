import ArgumentParser
import TrolleyStore
import TrolleyWire

/// How long what is kept.
struct RetentionOptions: ParsableArguments {
    @Option(help: "How long devices can catch up with what was compressed: 90d, 12h, 30m, 45s. (default: 90d)")
    var trail: Age?

    @Option(help: "How long what was compressed away stays in the Activity: 400d, at least 90d. (default: for ever)")
    var activityRetention: Age?

    func retention(_ settings: Settings, olderThan age: Age) throws -> Retention {
        let trail = try settings.value(trail, "trail", default: Age(days: 90))
        let activity = try settings.optional(activityRetention, "activity.retention")
        // Whatever a device can still send must find what it is about.
        if let activity, activity.milliseconds < Limits().ageCap {
            throw ValidationError(
                "--activity-retention must be at least 90d, the age of the oldest change a device sends")
        }
        return Retention(
            compressionAge: age.milliseconds, trail: trail.milliseconds, activity: activity?.milliseconds)
    }
}
