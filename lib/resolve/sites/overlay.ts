import { posix } from 'node:path'
import { InvalidInput, type Problem } from '../../errors.ts'
import type { ManifestReader } from '../../manifest/file.ts'
import { loadManifest } from '../../manifest/tree.ts'
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
}

/** The directory of a site that cannot be read as a whole: what it changes is unknown (D15). */
export type Unusable = Pick<Overlay, 'directory'> & {
  readonly site: string
  readonly problems: readonly [Problem, ...Problem[]]
}

/** How the files in the directory of a site are read. */
export type OverlayReaders = {
  readonly manifest: ManifestReader
  readonly specifications: SpecificationReader
}

/** Reads what the directory of a site says. Fails only for reasons that may go away. */
export async function readOverlay(
  snapshot: Snapshot,
  { site, directory, kind }: SiteDirectory,
  readers: OverlayReaders,
): Promise<(Overlay & { readonly site: string }) | Unusable> {
  if (kind !== 'directory')
    return { site, directory, problems: [{ ...obstacle(kind, 'directory'), position: { file: directory } }] }
  try {
    const entries = await snapshot.list(directory)
    const has = (name: string) => entries.some(entry => entry.name === name)
    const path = posix.join(directory, 'manifest.json')
    const manifest = has('manifest.json') ? await loadManifest(snapshot, path, readers.manifest) : noManifest
    const variables = await variablesIn(snapshot, directory, entries)
    const [first, ...more] = [
      ...misnamedIn(directory, entries, manifest.files),
      ...('problems' in variables ? variables.problems : []),
    ]
    if (first !== undefined) return { site, directory, problems: [first, ...more] }
    return {
      site,
      directory,
      services: manifest.services,
      specifications: has('applications') ? await readers.specifications(directory, 'own') : new Map(),
      variables: 'applications' in variables ? variables.applications : new Map(),
      hasSecrets: entries.some(({ name }) => secretsNames.includes(name)),
      warnings: manifest.warnings,
    }
  } catch (error) {
    return { site, directory, problems: problemsOf(error, directory) }
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
  }
}

const noManifest = { services: [], warnings: [], files: [] }

/** A manifest may have problems in several files. */
function problemsOf(error: unknown, directory: string): readonly [Problem, ...Problem[]] {
  if (error instanceof InvalidInput) {
    const [first, ...more] = error.problems
    if (first !== undefined) return [first, ...more]
  }
  return problemsOfFile(error, directory)
}

const endings: readonly string[] = ['yaml', 'yml', 'json']
const secretsNames = endings.map(ending => `secrets.${ending}`)
const variablesNames = endings.map(ending => `variables.${ending}`)
const readNames: readonly string[] = ['manifest.json', 'applications', ...secretsNames, ...variablesNames]

async function variablesIn(
  snapshot: Snapshot,
  directory: string,
  entries: readonly Entry[],
): Promise<SiteVariables> {
  const [name, ...others] = entries.map(entry => entry.name).filter(one => variablesNames.includes(one))
  if (name === undefined) return { applications: new Map() }
  const file = posix.join(directory, name)
  if (others.length === 0) return parseSiteVariables(file, await snapshot.read(file))
  const message = `stands beside ${others.join(' and ')}; keep only one of them`
  return { problems: [{ code: 'site-misnamed', message, position: { file } }] }
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
