import { Failure } from '../../errors.ts'
import type { Meaning } from '../ref.ts'
import { type ReadObject, readSmall } from '../snapshot/commit-snapshot.ts'
import type { SignedObject } from './verify.ts'

/** Reads a commit as it is in the repository. */
export async function commitObject(commit: string, read: ReadObject): Promise<SignedObject> {
  return { kind: 'commit', commit, content: await readSmall(read, commit, 'commit') }
}

/** Reads a tag as it is in the repository. It was found under `ref` and leads to the commit. */
export async function tagObject(
  tag: string,
  ref: string,
  commit: string,
  read: ReadObject,
): Promise<SignedObject> {
  return { kind: 'tag', commit, ref, content: await readSmall(read, tag, 'tag') }
}

/** Returns the annotated tag that led to the commit. Fails with `signature-missing`, which names `where`. */
export function tagOf(
  meaning: Meaning | undefined,
  commit: string,
  where: string,
): { readonly tag: string; readonly ref: string } {
  if (meaning?.commit === commit && meaning.tag !== undefined) return { tag: meaning.tag, ref: meaning.ref }
  throw new Failure('signature-missing', `${where}: no annotated tag leads to commit ${commit}`, {
    hint: 'Set "ref" under "repository" to the name of a signed tag, or "mode" of "verify" to head.',
  })
}
