/** The labels on everything that Tallyman creates (interface, section 4). What lacks them is never touched. */
export const label = {
  environment: 'tallyman.environment',
  application: 'tallyman.application',
  service: 'tallyman.service',
  instance: 'tallyman.instance',
  container: 'tallyman.container',
  role: 'tallyman.role',
  version: 'tallyman.version',
  fingerprint: 'tallyman.fingerprint',
  image: 'tallyman.image',
  digest: 'tallyman.digest',
  /** The engine's id of the image, where that has no digest. */
  imageId: 'tallyman.image-id',
  commit: 'tallyman.commit',
  /** Which journal has on record that this is made, on which site, and how often something was made there until then. */
  record: 'tallyman.record',
  /** The name of the repository. */
  source: 'tallyman.source',
  /** The directory of the environment in the repository. */
  directory: 'tallyman.directory',
  /** On a container that may end: its restart policy, `no` or `on-failure`. */
  restart: 'tallyman.restart',
  /** On a sandbox: `own` if the containers in it do not see each other's processes. */
  processes: 'tallyman.processes',
  /** The paths of the files that were written into the container, as a JSON list. */
  files: 'tallyman.files',
  /** On a service of a Swarm: the names of its networks, separated by spaces. A manager tells only their ids. */
  networks: 'tallyman.networks',
  /** On a service of a Swarm: what stands for the login of its registry that the nodes have, as a keyed hash. */
  login: 'tallyman.login',
  /** On the sandbox of a pod: its UUID (C53). */
  pod: 'tallyman.pod',
  /** On an ephemeral volume: the name of the instance that it is of (A48). */
  ephemeral: 'tallyman.ephemeral',
  /** On a Caddy of the operator: the environment whose ingress it is. */
  ingress: 'tallyman.ingress',
} as const

/** The labels of the volumes that say which Tallyman writes. Nothing else has any of them. */
export const claimLabel = {
  /** On a Swarm: its own name, which is too long for that of a config. */
  name: 'tallyman.claim.name',
  /** Which environment of which repository, as a hash. */
  claim: 'tallyman.claim',
  /** The environment for people. */
  of: 'tallyman.claim.of',
  /** The process that writes, by its own id. */
  holder: 'tallyman.claim.holder',
  /** What it leaves in its place if something is written, as an id. */
  mark: 'tallyman.claim.mark',
  /** The process whose place it takes. */
  after: 'tallyman.claim.after',
  /** Where processes see each other without the engine, as a hash. */
  machine: 'tallyman.claim.machine',
  /** The process for people. */
  who: 'tallyman.claim.who',
} as const

export type LabelName = (typeof label)[keyof typeof label] | (typeof claimLabel)[keyof typeof claimLabel]

/** The labels of something on an engine, as the engine reports them. */
export type Labels = Readonly<Record<string, string>> | null | undefined

/**
 * Returns the value of a label. An empty label counts as missing: it is set to hide a label of the image, which the
 * container would inherit otherwise.
 */
export function labelOf(labels: Labels, key: LabelName): string | undefined {
  return labels?.[key] || undefined
}

/**
 * Whether only Tallyman may set a label, however it is spelled, because such a label identifies what belongs to
 * Tallyman.
 */
export function isReserved(name: string): boolean {
  return name.trim().toLowerCase().startsWith('tallyman.')
}
