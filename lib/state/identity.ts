import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { byText } from '../text/order.ts'
import { withoutEnd } from '../text/without-end.ts'
import { type Labels, label, labelOf } from './labels.ts'

/** What identifies a repository: its name, whatever its address is. */
export type Repository = {
  /** By default the path of the address. It is the value of the label `tallyman.source`. */
  readonly source: string
  /** Without credentials. It was the value of that label before repositories had names. */
  readonly address: string
}

/**
 * What identifies an environment: a directory of a repository. It has one name on engines and in the journal, which no
 * other environment has there.
 */
export type Identity = Repository & {
  /** The name on engines: the names of containers, networks and volumes begin with it. */
  readonly environment: string
  /** The directory in the repository: `environments/prod`. */
  readonly directory: string
}

/** An environment that has a name on an engine or in the journal, as labels say. */
export type Holder = {
  readonly environment: string
  readonly source: string
  /** Absent on what was created before directories were recorded. */
  readonly directory?: string
}

/** An environment of a repository: its name, and the directory that contains its manifest.json. */
export type EnvironmentPlace = { readonly name: string; readonly directory: string }

/** An environment as it is called in its repository, and by its name on engines. */
export type CalledEnvironment = EnvironmentPlace & Pick<Identity, 'environment'>

/** Whether a person who writes `prod`, `environments/prod` or `./environments/prod/` means this environment. */
export function isMeant({ name, directory }: EnvironmentPlace, written: string): boolean {
  return written === name || asDirectory(written) === directory
}

/** Returns one spelling for one directory of a repository. */
export function asDirectory(written: string): string {
  return posix.normalize(`/${written}/`).slice(1, -1)
}

/** Whether labels say that something belongs to an environment. Nothing else is ever touched (G10). */
export function isOurs(labels: Labels, whose: OwnName): boolean {
  const source = labelOf(labels, label.source)
  return (
    labelOf(labels, label.environment) === whose.environment &&
    source !== undefined &&
    isSource(source, whose)
  )
}

/** An environment by its name on engines. */
export type OwnName = Repository & Pick<Identity, 'environment'>

/** Returns a text that is equal for two names if what is asked of an engine by them is the same. */
export function ownNameText({ environment, source, address }: OwnName): string {
  return JSON.stringify([environment, source, address])
}

/**
 * Returns the labels that say to which environment something belongs. They are no part of a fingerprint, so nothing is
 * replaced because of them.
 */
export function identityLabels({
  environment,
  source,
  directory,
}: Omit<Identity, 'address'>): Record<string, string> {
  return { [label.environment]: environment, [label.source]: source, [label.directory]: directory }
}

/** Returns the holder that labels name; undefined if they name none. */
export function holderOf(labels: Labels): Holder | undefined {
  const environment = labelOf(labels, label.environment)
  const source = labelOf(labels, label.source)
  const directory = labelOf(labels, label.directory)
  if (environment === undefined || source === undefined) return undefined
  return { environment, source, ...(directory === undefined ? {} : { directory }) }
}

/** Says whose something is, as its labels tell it: `that of environments/prod of team/infra`. */
export function ownerInWords(labels: Labels): string {
  const holder = holderOf(labels)
  if (holder === undefined) return 'not one that tallyman made'
  const { environment, directory, source } = holder
  return `that of ${directory ?? environment} of ${source}`
}

/**
 * Whether a label names the repository: by its name, or in the older form by an address. An address may have any host
 * and scheme, because the repository may have moved since the label was written.
 */
export function isSource(said: string, { source, address }: Repository): boolean {
  return said === source || said === address || repositoryName(said) === source
}

/**
 * Returns the name of a repository without a configured name: the path of its address without host, `.git` and outer
 * slashes. `https://git.example.com/team/infra.git`, `ssh://git@example.com:2222/team/infra` and
 * `git@example.com:team/infra.git` are all `team/infra`. A repository on this machine keeps its address, because the
 * same path may hold different repositories on different machines.
 */
export function repositoryName(address: string): string {
  const path = /^(?:https?|ssh|git):\/\/[^/]+(\/.*)?$/i.exec(address)?.[1] ?? scpPath(address)
  const name = path === undefined ? '' : withoutEnds(path)
  return name === '' ? address : name
}

function scpPath(address: string): string | undefined {
  return /^[^/@:]+@[^/@:]+:(.*)$/.exec(address)?.[1]
}

/** Returns one spelling for names that differ in outer slashes and in `.git`. */
export function withoutEnds(path: string): string {
  const inner = withoutEnd(path.replace(/^\/+/, ''), '/')
  return withoutEnd(inner.replace(/\.git$/, ''), '/')
}

export type NameClaim = {
  readonly repository: Repository
  readonly place: EnvironmentPlace
  /** Every environment of the repository. */
  readonly places: readonly EnvironmentPlace[]
  /** What engines and the journal know of environments. */
  readonly holders: readonly Holder[]
  /**
   * Whether the operator named an environment for this process. Such an environment inherits what was created before
   * directories were recorded.
   */
  readonly isConfigured: (place: EnvironmentPlace) => boolean
}

/**
 * Returns what an environment is called on engines: its plain name, or the name with a mark if the plain name belongs
 * to another environment. The result never changes later. In this order:
 * - What has the directory of the environment in its labels says what it is called.
 * - What has the plain name and no directory, or a directory that the repository no longer has, is inherited by one
 *   environment of that name: the one in `environments/` at the root, or else the first that this process works on.
 * - A plain name that nobody has goes to the same environment, and the others get a mark.
 */
export function nameOnEngines({ repository, place, places, holders, isConfigured }: NameClaim): string {
  const { name, directory } = place
  const ours = holders.filter(({ source }) => isSource(source, repository))
  const called = ours.filter(holder => holder.directory === directory).map(({ environment }) => environment)
  const [known] = called.includes(name) ? [name] : [...called].sort()
  if (known !== undefined) return known
  const marked = freeMarkedName(repository, place, places, holders)
  const plain = holders.filter(({ environment }) => environment === name)
  const siblings = places.filter(other => other.name === name)
  const isThere = (other: string | undefined) => places.some(({ directory }) => directory === other)
  const own = plain.filter(holder => ours.includes(holder))
  if (own.some(holder => isThere(holder.directory))) return marked
  if (own.length === 0 && plain.length > 0) return marked
  const settled = new Set(ours.map(holder => holder.directory))
  const free = siblings.filter(sibling => !settled.has(sibling.directory))
  const heir = own.length === 0 ? first(free) : (first(free.filter(isConfigured)) ?? first(free))
  return heir?.directory === directory ? name : marked
}

/** Returns the environment that gets a plain name: the one at the root of the repository, or else the first. */
function first(places: readonly EnvironmentPlace[]): EnvironmentPlace | undefined {
  const isRoot = ({ directory }: EnvironmentPlace) => posix.dirname(posix.dirname(directory)) === '.'
  const inOrder = [...places].sort(byText(({ directory }) => directory))
  return inOrder.find(isRoot) ?? inOrder[0]
}

/** Returns what an environment is called if its plain name belongs to another one. */
export function markedName(
  { source }: Repository,
  { name, directory }: EnvironmentPlace,
  length = 8,
): string {
  const mark = createHash('sha256').update(`${source}\n${directory}`).digest('hex').slice(0, length)
  return `${name}-${mark}`
}

/** A person may have given the name with its mark to another environment: then the mark is longer. */
function freeMarkedName(
  repository: Repository,
  place: EnvironmentPlace,
  places: readonly EnvironmentPlace[],
  holders: readonly Holder[],
): string {
  const marked = markedName(repository, place)
  const isTaken = [...places.map(other => other.name), ...holders.map(({ environment }) => environment)]
  return isTaken.includes(marked) ? markedName(repository, place, 16) : marked
}

/**
 * Describes an environment so that a person can distinguish two: `environments/prod of team/infra
 * (https://git.example.com/team/infra)`.
 */
export function environmentInWords({ directory, source, address }: Identity): string {
  return `${directory} of ${source}${address === source ? '' : ` (${address})`}`
}
