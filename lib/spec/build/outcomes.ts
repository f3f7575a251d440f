import type { Problem } from '../../errors.ts'
import type { Blocked } from '../../state/application/desired.ts'
import { ownerOfName } from '../../state/application/own-application.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { watched } from '../../state/secret/watched.ts'
import { countImages } from '../image-count.ts'
import type { Specification } from '../specification/specification.ts'
import type { Built } from './build.ts'
import type { BuildContext } from './context.ts'
import { buildPlain, nothingToRun } from './plain.ts'
import { noSize, type Size, together } from './size.ts'

/** The result for one entry of a manifest. `asksSecrets`: other secrets may lead to another result. */
export type EntryOutcome = Outcome & { readonly asksSecrets?: boolean }

type Outcome =
  | ({ readonly kind: 'built' } & Built)
  | { readonly kind: 'blocked'; readonly blocked: Blocked; readonly built?: Built }
  | { readonly kind: 'idle'; readonly application: string; readonly warning: Problem }

/**
 * Builds the entries one after the other. Their expansion is bounded together, and with what is taken already, and the
 * later ones are blocked (D15, G24).
 * @param tooManyImages counts images for more entries than these
 */
export async function buildAll(
  entries: readonly ServiceEntry[],
  specifications: ReadonlyMap<string, Specification>,
  context: BuildContext,
  tooManyImages: ReturnType<typeof countImages> = countImages(),
): Promise<readonly EntryOutcome[]> {
  const outcomes: EntryOutcome[] = []
  let { taken = noSize } = context
  const common: Common = { builder: loadOnce(), tooManyImages }
  for (const entry of entries) {
    const { secrets, seen } = watched(context.secrets)
    const own = { ...context, taken, secrets }
    const outcome = await buildOne(specifications.get(entry.name), entry, own, common)
    taken = together(taken, sizeOf(outcome))
    outcomes.push(seen().isAsked ? { ...outcome, asksSecrets: true } : outcome)
  }
  return outcomes
}

/** What all applications of an environment have in common. */
type Common = { readonly builder: Builder; readonly tooManyImages: ReturnType<typeof countImages> }

type Builder = () => Promise<typeof import('./by-kind.ts')>

/**
 * Loads what builds from specifications with the first of them, because services that only a manifest describes do not
 * need it, and then no more.
 */
function loadOnce(): Builder {
  let loading: ReturnType<Builder> | undefined
  return () => {
    loading ??= import('./by-kind.ts')
    return loading
  }
}

/** Returns the name of what an entry names. */
export function entryName(outcome: EntryOutcome): string {
  switch (outcome.kind) {
    case 'built':
      return outcome.application.name
    case 'blocked':
      return outcome.blocked.application
    case 'idle':
      return outcome.application
  }
}

/** Returns the size of the expansion of what an entry names. */
export function sizeOf(outcome: EntryOutcome): Size {
  switch (outcome.kind) {
    case 'built':
      return outcome.size
    case 'blocked':
      return outcome.built?.size ?? noSize
    case 'idle':
      return noSize
  }
}

async function buildOne(
  specification: Specification | undefined,
  entry: ServiceEntry,
  context: BuildContext,
  { builder, tooManyImages }: Common,
): Promise<Outcome> {
  const { name: application, position } = entry
  const what = ownerOfName(application)
  if (what !== undefined) {
    const message = `${application} is the name of ${what}`
    return {
      kind: 'blocked',
      blocked: { application, problems: [{ code: 'name-reserved', message, position }] },
    }
  }
  if (specification?.state === 'invalid') return invalidOutcome(specification, entry, context, builder)
  const warning = specification === undefined ? nothingToRun(entry) : undefined
  if (warning !== undefined) return { kind: 'idle', application, warning }
  const built =
    specification === undefined
      ? buildPlain(entry, context)
      : (await builder()).buildSpecification(specification, entry, context)
  const { problems } = built
  const [first, ...more] = problems.length > 0 ? problems : tooManyImages(built.application, entry)
  return first === undefined
    ? { kind: 'built', ...built }
    : { kind: 'blocked', blocked: { application, problems: [first, ...more] }, built }
}

/** Also reports what is wrong with the rest of the specification. */
async function invalidOutcome(
  { problems: [first, ...others], rest }: Extract<Specification, { state: 'invalid' }>,
  entry: ServiceEntry,
  context: BuildContext,
  builder: Builder,
): Promise<Outcome> {
  const built = rest && (await builder()).buildSpecification(rest, entry, context)
  const problems = [first, ...others, ...(built?.problems ?? [])] as const
  return {
    kind: 'blocked',
    blocked: { application: entry.name, problems },
    ...(built === undefined ? {} : { built }),
  }
}
