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
  source: 'tallyman.source',
  /** On a sandbox: `own` where its members do not see each other's processes. */
  processes: 'tallyman.processes',
  /** On a Caddy of the operator's: the environment whose ingress it is. */
  ingress: 'tallyman.ingress',
} as const
