import { loadSecrets } from '../../secrets/load.ts'
import type { Snapshot } from '../../state/repository/snapshot.ts'
import type { Secrets } from '../../state/secret/secrets.ts'
import type { World } from '../world.ts'

/** Returns the secrets of the environment as they are now. An unchanged document is not decrypted again. */
export async function currentSecrets(
  { config, env, memory, redaction }: World,
  snapshot: Snapshot,
  environmentDirectory: string,
): Promise<Secrets> {
  const { key, sops } = await memory.decryption.open(config.stateDir)
  return loadSecrets(snapshot, environmentDirectory, {
    config: config.secrets,
    env,
    key,
    memory: sops,
    redaction,
  })
}

/** What a desired state knows of the secrets that it was made with. */
export type SecretsSeen = { readonly isAsked: boolean; readonly mark: string }

/** Returns the same secrets, and records whether any was asked for. If not, a change of secrets changes nothing. */
export function watched(secrets: Secrets): { readonly secrets: Secrets; seen(): SecretsSeen } {
  let isAsked = false
  return {
    secrets: {
      ...secrets,
      find(name) {
        isAsked = true
        return secrets.find(name)
      },
      below(prefix) {
        isAsked = true
        return secrets.below(prefix)
      },
    },
    seen: () => ({ isAsked, mark: secrets.mark }),
  }
}
