// A widget that never says anything.

export {};
