/**
 * How to log in at a git server: with nothing, with a user name and a file that contains the password or token, with a
 * key for SSH, or as a GitHub App.
 */
export type GitAuth = {
  readonly username?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly sshKeyFile?: string
  readonly knownHostsFile?: string
  readonly githubApp?: GithubApp
}

/** A GitHub App that is installed for the repository. */
export type GithubApp = {
  /** The id of the app, or its client id. */
  readonly appId: string | number
  readonly installationId: string | number
  /** The path of the private key of the app, as PEM. */
  readonly privateKeyFile: string
  /** Absent: the API of GitHub itself. For a GitHub Enterprise Server: `https://HOST/api/v3`. */
  readonly apiUrl?: string
}
