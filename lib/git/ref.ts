import { compareText } from '../text/order.ts'
import { distanceOf } from '../text/suggestion/nearest.ts'

/** A ref as a repository lists it. */
export type Ref = {
  /** `HEAD`, `refs/heads/main`, … */
  readonly name: string
  readonly oid: string
  /** The commit that an annotated tag points to. */
  readonly peeled?: string
  /** The ref that a symbolic ref points to. */
  readonly target?: string
}

/** What a ref means now: a commit, and the name of the ref in plans and logs. */
export type Meaning = {
  readonly commit: string
  readonly ref: string
  /** The annotated tag that led to the commit. */
  readonly tag?: string
}

/** Whether a ref is the full name of a commit, which needs no look-up. */
export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref)
}

/** Returns the full names that a ref may mean; the first that exists wins. Without a ref it is the default branch. */
export function candidatesOf(ref: string | undefined): readonly string[] {
  if (ref === undefined || ref === 'HEAD') return ['HEAD']
  if (ref.startsWith('refs/')) return [ref]
  return [`refs/heads/${ref}`, `refs/tags/${ref}`]
}

/** Returns the commit that a ref means, given the one of its candidates that exists. */
export function meaningOf(ref: string | undefined, { name, oid, peeled, target }: Ref): Meaning {
  const meaning = { commit: peeled ?? oid, ref: ref ?? shortName(target ?? name) }
  return peeled === undefined ? meaning : { ...meaning, tag: oid }
}

/** Returns the short name of a ref, as people use it. */
export function shortName(name: string): string {
  return name.replace(/^refs\/(heads|tags)\//, '')
}

/** Returns up to five branches and tags among these full names, the most similar spelling first. */
export function nearestNames(ref: string, all: readonly string[]): readonly string[] {
  const names = new Set(all.filter(isBranchOrTag).map(shortName))
  return [...names]
    .map(name => ({ name, distance: distanceOf(ref, name) }))
    .sort((a, b) => a.distance - b.distance || compareText(a.name, b.name))
    .slice(0, 5)
    .map(({ name }) => name)
}

function isBranchOrTag(name: string): boolean {
  return name.startsWith('refs/heads/') || name.startsWith('refs/tags/')
}
