// Runs in a frame of a canvas before all other code, as a script that the page waits for. `connect-src` does not
// govern WebRTC, which would reach any host; a frame within the frame can't give the constructors back.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection']) Reflect.deleteProperty(globalThis, name);
