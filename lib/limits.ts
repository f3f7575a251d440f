/**
 * What a manifests repository may hold at most, so that a small one never becomes huge (G24). Each is checked before
 * anything is expanded. docs/operations.md lists them; what a git server may cost is bounded in lib/git/limits.ts.
 */
export const limits = {
  /** Characters of one JSON or YAML file. */
  documentCharacters: 1024 * 1024,
  /** Values of one file, those that aliases repeat included. */
  documentValues: 200_000,
  /** Characters of one file with those that aliases repeat. */
  unfoldedCharacters: 4 * 1024 * 1024,
  /** Tokens of one YAML file: words, separators, breaks of lines. */
  yamlTokens: 100_000,
  /** Objects and lists inside one another. */
  documentDepth: 100,
  /** Files that a manifest includes, in all. */
  includedFiles: 20_000,
  /** How often the files of a manifest include another one, in all. */
  includes: 100_000,
  /** How deep includes may be nested. */
  includeDepth: 50,
  /** Services of one environment's manifest, with all it includes. */
  services: 20_000,
  /** Tokens of YAML and values of JSON in all specifications that one environment can name. */
  specificationTokens: 500_000,
  /** Characters that variables add to the texts of one application. */
  variableCharacters: 1024 * 1024,
  /** The same of all applications that an environment can name, in equal shares of at least 4 KiB. */
  variableCharactersInAll: 32 * 1024 * 1024,
  /** Instances of one application. */
  instances: 1_000,
  /** Ports of one application, ranges counted port by port. */
  ports: 4_096,
  /** Files that the containers of one application are given, counted once for each mount. */
  files: 4_096,
  /** Characters of all that is set on the containers and jobs of one application, those of equal instances once. */
  definitionCharacters: 4 * 1024 * 1024,
  /** The same of all applications of one environment. */
  definitionCharactersTogether: 64 * 1024 * 1024,
  /** Containers of all instances of one environment, with sandboxes and jobs. */
  containersTogether: 20_000,
  /** Ports of all applications of one environment, ranges counted port by port. */
  portsTogether: 32_768,
  /** Files that all containers of one environment are given, counted once for each mount. */
  filesTogether: 65_536,
  /**
   * What is checked of all environments of a repository in one go: 1 for each word of a specification that an environment
   * names, 100 for each service, 20 for each file. It is about a microsecond each.
   */
  checkedTogether: 3_000_000,
  /** Problems of one file that are told; those after them are counted. */
  problemsOfFile: 100,
  /** Problems of all files that are told; those after them are counted. */
  problems: 1_000,
} as const
