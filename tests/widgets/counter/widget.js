// A template of an extension, for tests.
export {};
