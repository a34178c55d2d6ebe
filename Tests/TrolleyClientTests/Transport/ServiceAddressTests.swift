import Testing

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct ServiceAddressTests {
    @Test func `an address is kept as it was given, without a slash at its end`() {
        #expect(ServiceAddress("http://localhost:8080/")?.description == "http://localhost:8080")
        #expect(ServiceAddress("lists.example.com")?.description == "http://lists.example.com")
        #expect(ServiceAddress("https://example.com/trolley")?.description == "https://example.com/trolley")
    }

    @Test func `the names of this machine are one, those of others are not`() {
        #expect(ServiceAddress("http://127.0.0.1:8080") == ServiceAddress("http://localhost:8080"))
        #expect(ServiceAddress("http://[::1]:8080") == ServiceAddress("http://localhost:8080/"))
        #expect(ServiceAddress("http://a.example") != ServiceAddress("https://a.example"))
        #expect(ServiceAddress("http://localhost:8080") != ServiceAddress("http://localhost:8081"))
    }

    @Test func `an invalid address is refused`() {
        for text in ["", "http://", "ftp://example.com", "http://a b", "http://a/?x=1", "http://a/#b", "://"] {
            #expect(ServiceAddress(text) == nil, "\(text)")
        }
    }
}
