// A widget that never sends a message.

export {};
