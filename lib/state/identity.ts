import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { type Labels, label, labelOf } from './labels.ts'

/** What a repository is known by: its name, whatever address it is reached under. */
export type Repository = {
  /** By default the path of the address; what the label `tallyman.source` says. */
  readonly source: string
  /** Without credentials: what that label said before repositories had names. */
  readonly address: string
}

/**
 * Which environment is meant: a directory of a repository. It has one name on engines and in the journal, which no
 * other environment has there.
 */
export type Identity = Repository & {
  /** The name on engines: what the names of containers, networks and volumes begin with. */
  readonly environment: string
  /** Where it stands in the repository: `environments/prod`. */
  readonly directory: string
}

/** An environment that has a name on an engine, or in the journal, as labels tell it. */
export type Holder = {
  readonly environment: string
  readonly source: string
  /** Absent on what was made before directories were told apart. */
  readonly directory?: string
}

/** An environment of a repository: its name, and the directory that holds its manifest.json. */
export type EnvironmentPlace = { readonly name: string; readonly directory: string }

/** Whether a person who writes `prod`, `environments/prod` or `./environments/prod/` means this environment. */
export function isMeant({ name, directory }: EnvironmentPlace, written: string): boolean {
  return written === name || asDirectory(written) === directory
}

/** One spelling for one directory of a repository. */
export function asDirectory(written: string): string {
  return posix.normalize(`/${written}/`).slice(1, -1)
}

/** Whether labels say that a thing is an environment's own; what is not is never touched (G10). */
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

/** The labels that say whose a thing is. They are no part of a fingerprint: nothing is replaced for their sake. */
export function identityLabels({
  environment,
  source,
  directory,
}: Omit<Identity, 'address'>): Record<string, string> {
  return { [label.environment]: environment, [label.source]: source, [label.directory]: directory }
}

/** The holder that labels name; undefined where they name none. */
export function holderOf(labels: Labels): Holder | undefined {
  const environment = labelOf(labels, label.environment)
  const source = labelOf(labels, label.source)
  const directory = labelOf(labels, label.directory)
  if (environment === undefined || source === undefined) return undefined
  return { environment, source, ...(directory === undefined ? {} : { directory }) }
}

/**
 * Whether a label names the repository: by its name, or in the older form by an address. An address counts under
 * whatever host and scheme it was reached when the label was written, for a repository may have moved since.
 */
export function isSource(said: string, { source, address }: Repository): boolean {
  return said === source || said === address || repositoryName(said) === source
}

/**
 * The name of a repository that is given none: the path of its address without host, `.git` and slashes around it.
 * `https://git.example.com/team/infra.git`, `ssh://git@example.com:2222/team/infra` and
 * `git@example.com:team/infra.git` are all `team/infra`. What is on this machine keeps its address, for many
 * repositories may stand under one path on different machines.
 */
export function repositoryName(address: string): string {
  const path = /^(?:https?|ssh|git):\/\/[^/]+(.*)$/i.exec(address)?.[1] ?? scpPath(address)
  const name = path === undefined ? '' : withoutEnds(path)
  return name === '' ? address : name
}

function scpPath(address: string): string | undefined {
  return /^[^/@:]+@[^/@:]+:(.*)$/.exec(address)?.[1]
}

/** One spelling for names that differ in slashes around them and in `.git`. */
export function withoutEnds(path: string): string {
  return path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .replace(/\/+$/, '')
}

export type Claim = {
  readonly repository: Repository
  readonly place: EnvironmentPlace
  /** Every environment of the repository. */
  readonly places: readonly EnvironmentPlace[]
  /** What engines and the journal know of environments. */
  readonly holders: readonly Holder[]
  /** Whether the operator named an environment for this process: it inherits what was made before directories were told apart. */
  readonly isConfigured: (place: EnvironmentPlace) => boolean
}

/**
 * What an environment is called on engines: its plain name, or where that is another's the name with a mark of its
 * own. What it is called once it is called for good; in this order:
 * - what bears its directory says how it is called;
 * - what bears the plain name without a directory, or with one that the repository has no more, is inherited by the
 *   environment of that name: by the one in `environments/` at the root, else the first that this process works on;
 * - a plain name that nobody has is for the same one, and the others get a mark.
 */
export function nameOnEngines({ repository, place, places, holders, isConfigured }: Claim): string {
  const { name, directory } = place
  const ours = holders.filter(({ source }) => isSource(source, repository))
  const called = ours.filter(holder => holder.directory === directory).map(({ environment }) => environment)
  const [known] = called.includes(name) ? [name] : [...called].sort()
  if (known !== undefined) return known
  const marked = markedName(repository, place)
  const plain = holders.filter(({ environment }) => environment === name)
  const siblings = places.filter(other => other.name === name)
  const isThere = (other: string | undefined) => siblings.some(sibling => sibling.directory === other)
  const own = plain.filter(holder => ours.includes(holder))
  if (own.some(holder => isThere(holder.directory))) return marked
  if (own.length === 0 && plain.length > 0) return marked
  const settled = new Set(ours.map(holder => holder.directory))
  const free = siblings.filter(sibling => !settled.has(sibling.directory))
  const heir = own.length === 0 ? first(free) : (first(free.filter(isConfigured)) ?? first(free))
  return heir?.directory === directory ? name : marked
}

/** The environment that a plain name goes to: the one at the root of the repository, else the first. */
function first(places: readonly EnvironmentPlace[]): EnvironmentPlace | undefined {
  const isRoot = ({ directory }: EnvironmentPlace) => posix.dirname(posix.dirname(directory)) === '.'
  const inOrder = [...places].sort((a, b) => (a.directory < b.directory ? -1 : 1))
  return inOrder.find(isRoot) ?? inOrder[0]
}

/** What an environment is called where its plain name is another one's. */
export function markedName({ source }: Repository, { name, directory }: EnvironmentPlace): string {
  const mark = createHash('sha256').update(`${source}\n${directory}`).digest('hex').slice(0, 8)
  return `${name}-${mark}`
}

/** `environments/prod of team/infra (https://git.example.com/team/infra)`: for a person to tell two apart. */
export function inWords({ directory, source, address }: Identity): string {
  return `${directory} of ${source}${address === source ? '' : ` (${address})`}`
}
