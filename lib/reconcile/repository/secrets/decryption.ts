import { markKey } from '../../../secrets/key.ts'
import type { SopsMemory } from '../../../secrets/repository.ts'

/** The key of the marks of secrets, and the result of the last decryption. */
export type Decryption = {
  /** Reads the key of this state directory when it is first asked for. Fails as `markKey` does. */
  open(stateDir: string): Promise<{ readonly key: Uint8Array; readonly sops: SopsMemory }>
}

/** Creates the memory of an environment of which nothing was decrypted yet. */
export function createDecryption(): Decryption {
  const sops: SopsMemory = {}
  let key: Uint8Array | undefined
  return {
    async open(stateDir) {
      key ??= await markKey(stateDir)
      return { key, sops }
    },
  }
}
