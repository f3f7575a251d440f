import type { TallymanConfiguration as File } from '../config.gen.ts'
import type { NoteFault } from './listeners.ts'

/** What has to be signed in the repository, and the files with the accepted keys. */
export type VerifyConfig = { readonly mode: 'head' | 'tag'; readonly keys: readonly string[] }

/** Reads `repository.verify` as the schema allows it; undefined if signatures are not required. */
export function readVerify(
  written: NonNullable<File['repository']>['verify'],
  fault: NoteFault,
): VerifyConfig | undefined {
  if (written === undefined || written.mode === 'none') return undefined
  const { mode } = written
  const keys: readonly string[] = written.keys ?? []
  if (keys.length === 0) fault('/repository/verify', `"mode: ${mode}" needs "keys": files with public keys`)
  return { mode, keys }
}
