import { Failure } from '../../errors.ts'
import type { Ref } from '../ref.ts'
import type { Introduction } from '../wire/refs.ts'

/** Returns the refs whose full names begin with a prefix. */
export type RefsBelow = (prefix: string) => Promise<readonly Ref[]>

/** Returns the first of the full names that exists. Makes one look-up after the other until then. */
export async function firstExisting(
  names: readonly string[],
  refsBelow: RefsBelow,
): Promise<Ref | undefined> {
  for (const name of names) {
    const found = (await refsBelow(name)).find(ref => ref.name === name)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns all branches and tags. */
export async function branchesAndTags(refsBelow: RefsBelow): Promise<readonly Ref[]> {
  const branches = await refsBelow('refs/heads/')
  return [...branches, ...(await refsBelow('refs/tags/'))]
}

/**
 * Returns the introduction of the server at an address. Fails with `repository-unsupported` if the server names objects
 * by something else than SHA-1.
 */
export function demandSha1<T extends Introduction>(address: string, introduction: T): T {
  const { format } = introduction
  if (format !== 'sha1')
    throw new Failure('repository-unsupported', `${address}: uses ${format} object names`)
  return introduction
}
