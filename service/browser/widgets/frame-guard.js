// Runs in a frame of a canvas before all other code, as a blocking script. The policy `connect-src` does not cover WebRTC,
// which can reach any host, so its constructors are deleted. A nested frame can't restore them.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection']) Reflect.deleteProperty(globalThis, name);
