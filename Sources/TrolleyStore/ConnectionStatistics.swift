/// The use of the connections to the database.
package struct ConnectionStatistics: Hashable, Sendable {
    package let maximum: Int
    /// Connections in use or being opened.
    package let inUse: Int
    package let idle: Int
    /// Requests that wait for a connection.
    package let waiting: Int
    /// The use by each class of work.
    package let classes: [Class]

    package struct Class: Hashable, Sendable {
        package let name: String
        /// Connections that no other class can take.
        package let reserve: Int
        package let maximum: Int
        package let inUse: Int
        package let waiting: Int
    }
}
