import type { Problem } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { buildAll, type EntryOutcome, entryName, sizeOf } from '../../spec/build/outcomes.ts'
import { noSize, type Size, together } from '../../spec/build/size.ts'
import type { countImages } from '../../spec/image-count.ts'
import { labelsUsedIn, specificationOn } from '../../spec/site-variables.ts'
import type { Specification } from '../../spec/specification/specification.ts'
import type { Blocked, DesiredState } from '../../state/application/desired.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { type SiteLabels, siteLabel } from '../../state/fleet/labels.ts'
import type { Snapshot } from '../../state/repository/snapshot.ts'
import type { Secrets } from '../../state/secret/secrets.ts'
import { type Common, settle } from '../settle.ts'
import { unknownValueLabels } from '../unknown-value-labels.ts'
import type { SiteDirectory } from './directories.ts'
import { problemsInside, strangersIn } from './inside.ts'
import { type Overlay, type OverlayReaders, readOverlay, saysNothing } from './overlay.ts'
import { unmatchedIn } from './unmatched.ts'

/** What all sites have in common, and what the directories of single sites are read with. */
export type VariantsInput = {
  readonly snapshot: Snapshot
  readonly environmentDirectory: string
  readonly directories: readonly SiteDirectory[]
  /** The sites that run the environment, as far as they are known. */
  readonly sites: ReadonlyMap<string, SiteLabels>
  readonly readers: OverlayReaders
  readonly entries: readonly ServiceEntry[]
  readonly specifications: ReadonlyMap<string, Specification>
  /** What was built of the entries for all sites. */
  readonly outcomes: readonly EntryOutcome[]
  readonly tooManyImages: ReturnType<typeof countImages>
  readonly common: Common
  /** Returns the secrets of a site that has a file of its own. */
  readonly secretsOn?: ((siteDirectory: string) => Promise<Secrets>) | undefined
  /** Lets others go on between two sites. */
  readonly goOn?: (() => Promise<void>) | undefined
}

/**
 * Returns what is wanted on the sites that have a directory of their own (A70), or labels that specifications take
 * values from (A73): the same as on all others, with what differs built anew. If the directory of a site cannot be read
 * as a whole, nothing changes on that site (D15). The expansion of all of them is bounded together (G24).
 */
export async function variantsOf(input: VariantsInput): Promise<ReadonlyMap<string, DesiredState>> {
  const variants = new Map<string, DesiredState>()
  const budget: Budget = { changed: 0, applications: 0, size: sizeOfAll(input.outcomes) }
  for (const directory of input.directories) {
    await input.goOn?.()
    const overlay = await readOverlay(input.snapshot, directory, input.readers)
    const labels = input.sites.get(overlay.site) ?? noLabels
    const variant = await variantOf(overlay, labels, [overlay.site], input, budget)
    if (variant !== undefined) variants.set(overlay.site, variant)
  }
  const own = new Set(input.directories.map(({ site }) => site))
  const others = [...input.sites].filter(([site]) => !own.has(site))
  for (const [site, variant] of await byLabels(others, input, budget)) variants.set(site, variant)
  return variants
}

const noLabels: SiteLabels = {}

/** Sites whose labels say the same share one value. */
async function byLabels(
  sites: readonly (readonly [site: string, labels: SiteLabels])[],
  input: VariantsInput,
  budget: Budget,
): Promise<ReadonlyMap<string, DesiredState>> {
  const used = [...new Set([...input.specifications.values()].flatMap(labelsUsedIn))]
  if (used.length === 0) return new Map()
  const groups = Map.groupBy(sites, ([, labels]) =>
    JSON.stringify(used.map(label => siteLabel(labels, label) ?? null)),
  )
  const variants = new Map<string, DesiredState>()
  for (const group of groups.values()) {
    await input.goOn?.()
    const [, labels = noLabels] = group[0] ?? []
    const sites = group.map(([site]) => site)
    const overlay = saysNothing(input.environmentDirectory)
    const variant = await variantOf(overlay, labels, sites, input, budget)
    if (variant !== undefined) for (const site of sites) variants.set(site, variant)
  }
  return variants
}

/** What the sites before took of what all of them share. */
type Budget = {
  changed: number
  applications: number
  size: Size
  /** What all sites get for which nothing is left: one value, which names the first of them. */
  spent?: Promise<DesiredState>
}

/** Undefined if nothing is different there, and nothing is warned of. */
async function variantOf(
  overlay: Overlay,
  labels: SiteLabels,
  sites: readonly string[],
  input: VariantsInput,
  budget: Budget,
): Promise<DesiredState | undefined> {
  const { outcomes, common } = input
  const names = new Set(outcomes.map(entryName))
  const [unreadable, ...more] = overlay.problems
  if (unreadable !== undefined) {
    const spent = spentBy(overlay, 0, input, budget)
    const inside = () => problemsInside(overlay, names, common.build, budget)
    return spent ?? untouched([unreadable, ...more, ...inside()], input)
  }
  const [unmatched, ...besides] = unmatchedIn(overlay, input)
  const changed = changedBy(overlay, labels, input)
  const isSilent = unmatched === undefined && overlay.warnings.length === 0
  if (changed.entries.length === 0 && isSilent) return undefined
  const spent = spentBy(overlay, changed.entries.length, input, budget)
  if (spent !== undefined) return spent
  const secrets = overlay.hasSecrets ? await input.secretsOn?.(overlay.directory) : undefined
  const isChanged = new Set(changed.entries.map(({ name }) => name))
  const others = outcomes.filter(outcome => !isChanged.has(entryName(outcome)))
  const taken = { ...sizeOfAll(others), characters: budget.size.characters }
  const build = { ...common.build, taken, ...(secrets === undefined ? {} : { secrets }) }
  const anew = await buildAll(changed.entries, changed.specifications, build, input.tooManyImages)
  budget.size = together(budget.size, sizeOfAll(anew))
  const byName = new Map(anew.map(outcome => [entryName(outcome), told(outcome, overlay)]))
  if (unmatched !== undefined) {
    const inside = problemsInside(strangersIn(overlay, names), names, common.build, budget)
    return untouched([unmatched, ...besides, ...inside, ...blockingIn(byName.values(), changed)], input)
  }
  const whole = outcomes.map(outcome => byName.get(entryName(outcome)) ?? outcome)
  const warnings = [
    ...common.frame.warnings,
    ...overlay.warnings,
    ...unknownValueLabels(overlay.specifications.values(), input.sites),
  ]
  const frame = { ...common.frame, warnings }
  return (
    await settle(whole, { ...common, frame, whereabouts: common.whereabouts.on(sites) }, changed.blocked)
  ).desired
}

/** Returns what nothing changes of: the applications are blocked as long as nobody knows what they should be. */
async function untouched(
  problems: readonly [Problem, ...Problem[]],
  { outcomes, common }: VariantsInput,
): Promise<DesiredState> {
  const blocked = outcomes.map((outcome): EntryOutcome => {
    const application = entryName(outcome)
    return { kind: 'blocked', blocked: { application, problems } }
  })
  return (await settle(blocked, common)).desired
}

/** Returns what would block applications on a site on which nothing changes for another reason. */
function blockingIn(anew: Iterable<EntryOutcome>, { blocked }: Changed): readonly Problem[] {
  const built = [...anew].flatMap(outcome => (outcome.kind === 'blocked' ? [outcome.blocked] : []))
  return [...built, ...blocked].flatMap(({ problems }) => problems)
}

/** What a site has to have built anew. */
type Changed = {
  readonly entries: readonly ServiceEntry[]
  readonly specifications: ReadonlyMap<string, Specification>
  readonly blocked: readonly Blocked[]
}

/** An entry keeps its place, whatever the site says of it. */
function changedBy(
  { services, specifications: own, variables, hasSecrets }: Overlay,
  labels: SiteLabels,
  { entries, specifications, outcomes }: VariantsInput,
): Changed {
  const replaced = new Map(services.map(service => [service.name, service]))
  const asking = new Set(outcomes.filter(({ asksSecrets }) => asksSecrets === true).map(entryName))
  const specificationOf = (name: string) => own.get(name) ?? specifications.get(name)
  const isLabelled = (name: string) => {
    const specification = specificationOf(name)
    return (
      specification !== undefined &&
      labelsUsedIn(specification).some(one => siteLabel(labels, one) !== undefined)
    )
  }
  const isChanged = ({ name }: ServiceEntry) =>
    isLabelled(name) ||
    replaced.has(name) ||
    own.has(name) ||
    variables.has(name) ||
    (hasSecrets && asking.has(name))
  const changed = entries.filter(isChanged)
  const used = new Map<string, Specification>()
  const blocked: Blocked[] = []
  for (const { name } of changed) {
    const specification = specificationOf(name)
    if (specification === undefined) continue
    const here = specificationOn(specification, variables.get(name)?.values ?? new Map(), labels)
    used.set(name, here.specification)
    const [first, ...more] = here.problems
    if (first !== undefined) blocked.push({ application: name, problems: [first, ...more] })
  }
  return {
    entries: changed.map(entry => replaced.get(entry.name) ?? entry),
    specifications: used,
    blocked,
  }
}

/** Takes what a site needs of what is left. Returns what it gets instead if that is too little. */
function spentBy(
  { directory }: Overlay,
  changed: number,
  input: VariantsInput,
  budget: Budget,
): Promise<DesiredState> | undefined {
  const applications = input.outcomes.length
  const isTooMuch =
    budget.changed + changed > limits.overlaidApplications ||
    budget.applications + applications > limits.variantApplications
  if (isTooMuch) {
    const message = `is not read: the sites before it change ${budget.changed} applications already; one environment has at most ${limits.overlaidApplications} such changes, and ${limits.variantApplications} applications on the sites that have any`
    budget.spent ??= untouched(
      [{ code: 'repository-too-large', message, position: { file: directory } }],
      input,
    )
    return budget.spent
  }
  budget.changed += changed
  budget.applications += applications
  return undefined
}

/** What stands in files of all sites is wrong on this one only. */
function told(outcome: EntryOutcome, { site, directory }: Overlay): EntryOutcome {
  const where = site === undefined ? 'with the labels of the site' : `on the site ${site}`
  const isOwn = ({ position }: Problem) =>
    site !== undefined && position?.file.startsWith(`${directory}/`) === true
  const there = (problem: Problem): Problem =>
    isOwn(problem) ? problem : { ...problem, message: `${problem.message} (${where})` }
  switch (outcome.kind) {
    case 'built':
      return outcome.warnings.length === 0 ? outcome : { ...outcome, warnings: outcome.warnings.map(there) }
    case 'blocked': {
      const { application, problems } = outcome.blocked
      const [first, ...more] = problems
      return { ...outcome, blocked: { application, problems: [there(first), ...more.map(there)] } }
    }
    case 'idle':
      return { ...outcome, warning: there(outcome.warning) }
  }
}

function sizeOfAll(outcomes: readonly EntryOutcome[]): Size {
  return outcomes.map(sizeOf).reduce(together, noSize)
}
