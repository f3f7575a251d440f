import { posix } from 'node:path'
import type { Problem } from '../../errors.ts'
import type { ManifestReader } from '../../manifest/file.ts'
import { ignoredConfirmation, loadManifest, type ManifestTree } from '../../manifest/tree.ts'
import { parseSiteVariables, type SiteVariables } from '../../spec/site-variables.ts'
import { problemsOfFile, type Specification } from '../../spec/specification/specification.ts'
import type { SpecificationReader } from '../../spec/specification/specifications.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import { isLikePartOfSite } from '../../state/repository/layout.ts'
import { obstacle } from '../../state/repository/obstacle.ts'
import type { Entry, Snapshot } from '../../state/repository/snapshot.ts'
import type { SiteDirectory } from './directories.ts'

/** What the directory of a site says, by itself (A70). */
export type Overlay = {
  /** Absent: sites without a directory, which differ by their labels. */
  readonly site?: string
  readonly directory: string
  /** They take the place of what the environment says of the same services. */
  readonly services: readonly ServiceEntry[]
  /** They take the place of those of the same names. */
  readonly specifications: ReadonlyMap<string, Specification>
  readonly variables: Extract<SiteVariables, { applications: unknown }>['applications']
  readonly hasSecrets: boolean
  readonly warnings: readonly Problem[]
  /** Why the directory cannot be read as a whole, so that what it changes is unknown (D15); empty: it can. */
  readonly problems: readonly Problem[]
}

/** How the files in the directory of a site are read. */
export type OverlayReaders = {
  readonly manifest: ManifestReader
  readonly specifications: SpecificationReader
}

/** Reads what the directory of a site says, as far as it can be read. Fails only for reasons that may go away. */
export async function readOverlay(
  snapshot: Snapshot,
  { site, directory, kind }: SiteDirectory,
  readers: OverlayReaders,
): Promise<Overlay & { readonly site: string }> {
  const nothing = { ...saysNothing(directory), site }
  if (kind !== 'directory')
    return { ...nothing, problems: [{ ...obstacle(kind, 'directory'), position: { file: directory } }] }
  const listed = await part(directory, [], () => snapshot.list(directory))
  const entries = listed.value
  const has = (name: string) => entries.some(entry => entry.name === name)
  const path = posix.join(directory, 'manifest.json')
  const manifest = await part(directory, noManifest, async () =>
    has('manifest.json') ? await loadManifest(snapshot, path, readers.manifest) : noManifest,
  )
  const specifications = await part(directory, noSpecifications, async () =>
    has('applications') ? await readers.specifications(directory, 'own') : noSpecifications,
  )
  const variables = await variablesIn(snapshot, directory, entries)
  // Which files an unreadable manifest includes is unknown.
  const inPlace = manifest.problems.length === 0 ? entries : entries.filter(one => one.kind === 'directory')
  return {
    ...nothing,
    services: manifest.value.services,
    specifications: specifications.value,
    variables: variables.variables,
    hasSecrets: entries.some(({ name }) => secretsNames.includes(name)),
    warnings: [...manifest.value.warnings, ...ignoredConfirmation(manifest.value.confirmationAt)],
    problems: [
      ...listed.problems,
      ...misnamedIn(directory, inPlace, manifest.value.files),
      ...manifest.problems,
      ...specifications.problems,
      ...variables.problems,
    ],
  }
}

/** What a site without a directory says. */
export function saysNothing(environmentDirectory: string): Overlay {
  return {
    directory: environmentDirectory,
    services: [],
    specifications: new Map(),
    variables: new Map(),
    hasSecrets: false,
    warnings: [],
    problems: [],
  }
}

const noManifest: Omit<ManifestTree, 'skipConfirmation'> = {
  services: [],
  warnings: [],
  files: [],
}
const noSpecifications: Overlay['specifications'] = new Map()

/** A part of the directory, and what is wrong if it cannot be read: the other parts are read all the same. */
type Part<T> = { readonly value: T; readonly problems: readonly Problem[] }

async function part<T>(directory: string, otherwise: T, read: () => Promise<T>): Promise<Part<T>> {
  try {
    return { value: await read(), problems: [] }
  } catch (error) {
    return { value: otherwise, problems: problemsOfFile(error, directory) }
  }
}

const endings: readonly string[] = ['yaml', 'yml', 'json']
const secretsNames = endings.map(ending => `secrets.${ending}`)
const variablesNames = endings.map(ending => `variables.${ending}`)
const readNames: readonly string[] = ['manifest.json', 'applications', ...secretsNames, ...variablesNames]

/** Of several files, none is used, and each is read to tell what is wrong in it. */
async function variablesIn(
  snapshot: Snapshot,
  directory: string,
  entries: readonly Entry[],
): Promise<Pick<Overlay, 'variables' | 'problems'>> {
  const names = entries.map(({ name }) => name).filter(name => variablesNames.includes(name))
  const files = names.map(name => posix.join(directory, name))
  const read = await Promise.all(files.map(file => siteVariables(snapshot, file)))
  const [, ...others] = names
  const message = `stands beside ${others.join(' and ')}; keep only one of them`
  const twice: readonly Problem[] = files
    .slice(0, others.length === 0 ? 0 : 1)
    .map(file => ({ code: 'site-misnamed', message, position: { file } }))
  return {
    variables: new Map(read.flatMap(one => ('applications' in one ? [...one.applications] : []))),
    problems: [...twice, ...read.flatMap(one => ('problems' in one ? one.problems : []))],
  }
}

async function siteVariables(snapshot: Snapshot, file: string): Promise<SiteVariables> {
  try {
    return parseSiteVariables(file, await snapshot.read(file))
  } catch (error) {
    return { problems: problemsOfFile(error, file) }
  }
}

/** What looks like a part of it and is not read must not look like a missing one. */
function misnamedIn(
  directory: string,
  entries: readonly Entry[],
  included: readonly string[],
): readonly Problem[] {
  const like = entries.filter(({ name }) => !readNames.includes(name) && isLikePartOfSite(name))
  if (like.length === 0) return []
  const read = new Set(included)
  return like.flatMap(({ name }): readonly Problem[] => {
    const file = posix.join(directory, name)
    if (read.has(file)) return []
    const word = name.slice(0, name.search(/s?(\.|$)/)).toLowerCase()
    const message =
      word === 'deployment'
        ? 'is not read: deployments are of an environment, and not of one of its sites'
        : `is not read: in the directory of a site, it is ${readNames.find(one => one.startsWith(word))}`
    return [{ code: 'site-misnamed', message, position: { file } }]
  })
}
