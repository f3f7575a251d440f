import type { ChangeResult } from '../../../apply/apply.ts'
import { onceFor } from '../../../memo/once-for.ts'
import type { Application } from '../../../state/application/application.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { hasUnknownImage } from '../../../state/application/members.ts'
import { hashOf } from '../../../state/canonical.ts'
import { type ApplicationStatus, isAsWanted } from '../../status/application/application-status.ts'

/** Hashes of what versions consist of, by application. */
export type Contents = ReadonlyMap<string, string>

/**
 * Returns a hash of what an application consists of, whichever commit it was read from; undefined while an image is unknown,
 * because nobody knows then.
 */
export const contentHash = onceFor((application: Application): string | undefined => {
  const { commit: _, ...content } = application
  return hasUnknownImage(application) ? undefined : hashOf(content)
})

/**
 * A hash of what an application consists of. `former`: the one that an earlier Tallyman recorded, which differed by the
 * commit that a named version was read from; absent: it recorded the same.
 */
export type ContentHashes = { readonly content: string; readonly former?: string }

/** Returns under which hashes a content may be on record; undefined while an image is unknown. See `contentHash`. */
export const contentHashes = onceFor((application: Application): ContentHashes | undefined => {
  const content = contentHash(application)
  if (content === undefined) return undefined
  return application.commit === undefined ? { content } : { content, former: hashOf(application) }
})

/** Whether a recorded hash is of this content. */
export function isSameContent(recorded: string, { content, former }: ContentHashes): boolean {
  return recorded === content || recorded === former
}

/**
 * Returns the contents of the applications that have deployments, as all sites of the environment have in common: what
 * differs on single sites is no other content (A72).
 */
export const contentsIn = onceFor(({ applications, deployments = [] }: DesiredState): Contents => {
  const deployed = new Set(deployments.map(({ application }) => application))
  return new Map(
    applications.flatMap(application => {
      const content = deployed.has(application.name) ? contentHash(application) : undefined
      return content === undefined ? [] : [[application.name, content] as const]
    }),
  )
})

/** What a pass over a site went by, what it found, and what it did. */
type Passed = {
  readonly contents?: Contents
  readonly status: readonly ApplicationStatus[]
  readonly results: readonly ChangeResult[]
  readonly saysNothingOf?: (application: string) => boolean
  /** When the site was looked at; absent: it was not. */
  readonly seenMs?: number
}

/** In which contents the applications were in place on a site, by application; undefined: nobody knows. */
type KnownContents = Readonly<Record<string, string>> | undefined

/**
 * Returns in which contents the applications were last in place on a site, after a pass over it. What was changed is not
 * known before a pass has looked at the result; what was put back is what was there before, and of what was on its way
 * no more is known than that. Pure.
 * @param before what was known before. Asked only if something is not as wanted, because it may have to be read
 */
export function contentsAfter(
  before: () => KnownContents,
  { contents, status, results, saysNothingOf }: Passed,
): KnownContents {
  if (contents === undefined || status.length === 0) return before()
  const changed = new Set(changedIn(results))
  const after = status.flatMap(one => {
    const { application, wantedVersion, otherContent } = one
    const content = contents.get(application)
    const isHere = isAsWanted(one) && wantedVersion === undefined && saysNothingOf?.(application) !== true
    if (changed.has(application)) return []
    if (isHere) return content === undefined ? [] : [[application, content] as const]
    const known = before()?.[application]
    const isGone = otherContent === true && known === content
    return known === undefined || isGone ? [] : [[application, known] as const]
  })
  return after.length === 0 ? undefined : Object.fromEntries(after)
}

/**
 * Returns the applications of which nobody has seen yet what became of them, after a pass over a site; undefined: there are
 * none. Pure.
 * @param before those of before. Asked only if the pass saw nothing, or says nothing of some
 */
export function changedAfter(
  before: () => readonly string[] | undefined,
  { results, saysNothingOf, seenMs }: Pick<Passed, 'results' | 'saysNothingOf' | 'seenMs'>,
): readonly string[] | undefined {
  if (seenMs === undefined && results.length === 0) return before()
  const left = saysNothingOf === undefined ? [] : (before() ?? []).filter(saysNothingOf)
  const all = new Set([...left, ...changedIn(results)])
  return all.size === 0 ? undefined : [...all]
}

/** What was put back is what was there before. */
function changedIn(results: readonly ChangeResult[]): readonly string[] {
  return results.flatMap(({ change, result }) =>
    result === 'rolled-back' || result === 'skipped' ? [] : [change.application],
  )
}
