/// Whose attempts to sign in are counted together.
struct Login: Hashable, Sendable {
    /// As it is compared.
    let email: String
    /// nil: from wherever nobody has signed in to this account before.
    let address: IPAddress?
}

/// From where people have signed in lately. They are counted by themselves, so that a stranger who tries their password
/// doesn't lock them out. A value with a bound: the older half is forgotten when there are too many.
struct KnownLogins: Sendable {
    private let maximum: Int
    private var recent: Set<Login> = []
    private var older: Set<Login> = []

    init(maximum: Int = 50_000) { self.maximum = maximum }

    /// The one to count an attempt under.
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
