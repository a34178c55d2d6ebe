extension IPAddress {
    /// Whether the address belongs to a host on the public internet. It doesn't if IANA's registries of special-purpose
    /// addresses (RFC 6890) list it, if it is a multicast address, or if it is an IPv6 address that contains an IPv4
    /// address or leads to one: what such an address reaches depends on the network.
    var isPublic: Bool { !IPNetwork.special.contains { $0.contains(self) } && (isIPv4 || high >> 61 == 1) }
}

extension IPNetwork {
    /// Special-purpose and multicast networks. Of IPv6, only 2000::/3 is public.
    fileprivate static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap(IPNetwork.init)
}
