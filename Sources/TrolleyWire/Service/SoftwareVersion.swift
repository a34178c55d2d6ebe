/// The version of Trolley's programs and of the SDK.
public enum SoftwareVersion {
    public static let current = "0.2.0"
}
