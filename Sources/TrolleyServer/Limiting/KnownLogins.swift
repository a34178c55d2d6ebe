/// The key under which attempts to sign in are counted.
struct Login: Hashable, Sendable {
    /// The email in the form used for comparison.
    let email: String
    /// nil for all addresses from which nobody has signed in to this account before.
    let address: IPAddress?
}

/// Addresses from which people have signed in recently. Their attempts are counted separately, so that a stranger who
/// guesses passwords doesn't lock them out. Bounded: the older half is dropped when there are too many.
struct KnownLogins: Sendable {
    private let maximum: Int
    private var recent: Set<Login> = []
    private var older: Set<Login> = []

    init(maximum: Int = 50_000) { self.maximum = maximum }

    /// The key to count an attempt under.
    func login(_ email: String, from address: IPAddress?) -> Login {
        let known = Login(email: email, address: address)
        return recent.contains(known) || older.contains(known) ? known : Login(email: email, address: nil)
    }

    mutating func insert(_ login: Login) {
        guard !recent.contains(login) else { return }
        if recent.count >= maximum {
            older = recent
            recent = []
        }
        recent.insert(login)
    }
}
