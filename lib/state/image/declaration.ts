/** What an image says of how it runs, and of what it is for. */
export type ImageDeclaration = {
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** `NAME=value`. */
  readonly env: readonly string[]
  /** A name or a number, and with a colon the group; empty: root. */
  readonly user: string
  /** Empty: `/`. */
  readonly workingDir: string
  /** The ports on which it listens, in order. */
  readonly ports: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp' | 'sctp' }[]
  /** The paths where it expects volumes, in order. */
  readonly volumes: readonly string[]
  /** What it is for, in its one spelling: `linux/arm64`. */
  readonly platform?: string
}
