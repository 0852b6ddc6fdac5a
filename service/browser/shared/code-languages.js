// The languages that code is highlighted in, by the names that models give them.

/** @type {[label: string, grammar: string, names: string][]} */
const LANGUAGES = [
  ['JavaScript', 'script', 'js javascript mjs cjs jsx'],
  ['TypeScript', 'script', 'ts typescript tsx'],
  ['Python', 'python', 'py python python3'],
  ['Shell', 'shell', 'sh bash zsh shell console shell-session'],
  ['JSON', 'json', 'json json5 jsonc jsonl'],
  ['YAML', 'yaml', 'yaml yml'],
  ['TOML', 'ini', 'toml'],
  ['INI', 'ini', 'ini cfg conf properties dotenv env'],
  ['SQL', 'sql', 'sql sqlite postgres postgresql mysql plpgsql'],
  ['HTML', 'markup', 'html htm'],
  ['XML', 'markup', 'xml svg vue rss'],
  ['CSS', 'css', 'css scss less'],
  ['Go', 'c', 'go golang'],
  ['Rust', 'c', 'rs rust'],
  ['Java', 'c', 'java'],
  ['Kotlin', 'c', 'kotlin kt'],
  ['Swift', 'c', 'swift'],
  ['C', 'c', 'c h'],
  ['C++', 'c', 'cpp c++ cc cxx hpp'],
  ['C#', 'c', 'cs csharp c#'],
  ['Diff', 'diff', 'diff patch'],
];

const BY_NAME = new Map(LANGUAGES.flatMap(([label, grammar, names]) =>
  names.split(' ').map((name) => /** @type {const} */ ([name, { label, grammar }]))));

/** @param {string} name as a reply has it @returns {{label: string, grammar: string} | undefined} */
export function languageOf(name) {
  return BY_NAME.get(name.toLowerCase());
}
