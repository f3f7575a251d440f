import { type EnvironmentSecrets, loadSecrets } from '../../../secrets/load.ts'
import type { Snapshot } from '../../../state/repository/snapshot.ts'
import type { World } from '../../world.ts'

/** Returns the secrets of the environment and of its sites as they are now. An unchanged document is not decrypted again. */
export async function currentSecrets(
  { config, env, memory, redaction }: World,
  snapshot: Snapshot,
  environmentDirectory: string,
): Promise<EnvironmentSecrets> {
  const { key, sops } = await memory.decryption.open(config.stateDir)
  return loadSecrets(snapshot, environmentDirectory, {
    config: config.secrets,
    env,
    key,
    memory: sops,
    redaction,
  })
}

/** Returns a text that changes with the secrets of an environment, or with those of one of these sites. */
export async function markOfSecrets(
  secrets: EnvironmentSecrets,
  siteDirectories: readonly string[],
): Promise<string> {
  const own = await Promise.all(siteDirectories.map(directory => secrets.onSite(directory)))
  return [secrets, ...own].map(({ mark }) => mark).join(' ')
}
