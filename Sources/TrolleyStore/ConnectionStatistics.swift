/// The use of the connections to the database.
package struct ConnectionStatistics: Hashable, Sendable {
    package let maximum: Int
    /// Connections in use or being opened.
    package let inUse: Int
    package let idle: Int
    /// Requests that wait for a connection.
    package let waiting: Int
}
