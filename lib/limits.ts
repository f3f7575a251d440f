/**
 * The most that a manifests repository may contain, so that a small one never becomes huge (G24). Each limit is checked
 * before anything is expanded. docs/operations.md lists them. The limits for git servers are in lib/git/limits.ts.
 */
export const limits = {
  /** Characters of one JSON or YAML file. */
  documentCharacters: 1024 * 1024,
  /** Values of one file, including those that aliases repeat. */
  documentValues: 200_000,
  /** Characters of one file, including those that aliases repeat. */
  unfoldedCharacters: 4 * 1024 * 1024,
  /** Tokens of one YAML file: words, separators, line breaks. */
  yamlTokens: 100_000,
  /** Levels of objects and lists. */
  documentDepth: 100,
  /** Files that a manifest includes, directly or indirectly. */
  includedFiles: 20_000,
  /** How many times the files of a manifest include a file. */
  includes: 100_000,
  /** Levels of includes. */
  includeDepth: 50,
  /** Services in the manifest of one environment, including its includes. */
  services: 10_000,
  /**
   * Tokens of YAML and values of JSON in all specifications that one environment can name. The same for its deployments,
   * where each part of a regular expression counts too.
   */
  specificationTokens: 500_000,
  /** Characters that variables add to the texts of one application. */
  variableCharacters: 1024 * 1024,
  /** The same for all applications that an environment can name, in equal shares of at least 4 KiB. */
  variableCharactersInAll: 32 * 1024 * 1024,
  /** Instances of one application. */
  instances: 1_000,
  /** Ports of one application. Ranges are counted port by port. */
  ports: 4_096,
  /** Files for the containers of one application, counted once for each mount. */
  files: 4_096,
  /** Characters of everything that is set on the containers and jobs of one application, once for equal instances. */
  definitionCharacters: 4 * 1024 * 1024,
  /** The same for all applications of one environment. */
  definitionCharactersTogether: 64 * 1024 * 1024,
  /** Containers of all instances of one environment, including sandboxes and jobs. */
  containersTogether: 10_000,
  /** Different images of all applications of one environment. A registry or an engine is asked about each. */
  imagesTogether: 3_000,
  /** Ports of all applications of one environment. Ranges are counted port by port. */
  portsTogether: 32_768,
  /** Files for all containers of one environment, counted once for each mount. */
  filesTogether: 65_536,
  /**
   * What is checked of all environments of a repository together: 1 for each word of a specification that an
   * environment names, and of a deployment with each part of its regular expressions, 100 for each service, 20 for each file. Each costs about a microsecond.
   */
  checkedTogether: 3_000_000,
  /** Applications that the directories of all sites of one environment change. Each is built anew. */
  overlaidApplications: 100_000,
  /** Applications of all sites of one environment that have something of their own. */
  variantApplications: 1_000_000,
  /** Characters of one label expression. */
  expressionCharacters: 8_192,
  /** Levels of parentheses and `not` in one label expression. */
  expressionDepth: 32,
  /** Regular expressions in one label expression. Each is tried on every site. */
  expressionPatterns: 32,
  /** Parts of one regular expression, once its counted repetitions are written out. Each costs about two microseconds. */
  patternParts: 1_000,
  /** Characters of a message, or of each line of one with the output of a container. The middle of a longer one is left out. */
  messageCharacters: 1_000,
  /** That many such lines is as much as a message has in all. */
  messageLines: 32,
  /** Problems of one file that are listed. Further ones are counted. */
  problemsOfFile: 100,
  /** Problems of all files that are listed. Further ones are counted. */
  problems: 1_000,
} as const
