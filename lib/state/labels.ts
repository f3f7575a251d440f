/** Labels on everything that is ours (interface, section 4). What lacks them is never touched. */
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
  commit: 'tallyman.commit',
  /** The name of the repository. */
  source: 'tallyman.source',
  /** Where the environment stands in the repository. */
  directory: 'tallyman.directory',
  /** On a sandbox: `own` where its members do not see each other's processes. */
  processes: 'tallyman.processes',
  /** The paths of the files that were written into it, as a JSON list. */
  files: 'tallyman.files',
  /** On a Caddy of the operator's: the environment whose ingress it is. */
  ingress: 'tallyman.ingress',
} as const

export type LabelName = (typeof label)[keyof typeof label]

/** What anything on an engine is labelled with, as the engine tells it. */
export type Labels = Readonly<Record<string, string>> | null | undefined

/**
 * What a label says. A blank one says nothing: it stands in front of one that an image brings along, which the container
 * would bear otherwise.
 */
export function labelOf(labels: Labels, key: LabelName): string | undefined {
  return labels?.[key] || undefined
}

/** Whether a label is ours to set, however it is spelled: what bears it speaks for tallyman. */
export function isReserved(name: string): boolean {
  return name.trim().toLowerCase().startsWith('tallyman.')
}
