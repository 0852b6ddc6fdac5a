"""The headers of a request for a WebSocket."""

HANDSHAKE = {
    "Host": "localhost",
    "Connection": "keep-alive, Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
