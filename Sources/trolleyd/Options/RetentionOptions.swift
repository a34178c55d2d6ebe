import ArgumentParser
import TrolleyStore
import TrolleyWire

/// How long compressed entries are kept.
struct RetentionOptions: ParsableArguments {
    @Option(help: "How long devices can catch up with a compression: 90d, 12h, 30m, 45s. (default: 90d)")
    var trail: Age?

    @Option(help: "How long compressed entries stay in the Activity: 400d, at least 90d. (default: for ever)")
    var activityRetention: Age?

    func retention(_ settings: Settings, olderThan age: Age) throws -> Retention {
        let trail = try settings.value(trail, "trail", default: Age(days: 90))
        let activity = try settings.optional(activityRetention, "activity.retention")
        // The Activity must keep every entry that a device's upload can still refer to.
        if let activity, activity.milliseconds < Limits().ageCap {
            throw ValidationError(
                "--activity-retention must be at least 90d, the age of the oldest change that a device uploads")
        }
        return Retention(
            compressionAge: age.milliseconds, trail: trail.milliseconds, activity: activity?.milliseconds)
    }
}

extension Settings {
    /// The age from which entries are compressed.
    func compressionAge(_ flag: Age?) throws -> Age {
        try value(flag, "compress.older.than", default: Age(days: 14))
    }
}
