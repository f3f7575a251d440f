import pLimit from 'p-limit'
import { InvalidInput, type Position, type Problem, upTo } from '../errors.ts'
import { limits } from '../limits.ts'
import { optional } from '../object.ts'
import type { ServiceEntry } from '../state/application/service-entry.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import { type ManifestFile, type ManifestReader, readManifestFile, type Unreadable } from './file.ts'
import { orderFiles } from './include-order.ts'

/** The content of an environment's manifest, together with everything that it includes. */
export type ManifestTree = {
  /** Each name once, in the order in which they take effect (E11). */
  readonly services: readonly ServiceEntry[]
  /** The setting of the root only (E15). */
  readonly skipConfirmation: boolean
  /** Where the root says that or the opposite. */
  readonly confirmationAt?: Position
  readonly warnings: readonly Problem[]
  /** All files of the tree, included ones before those that include them. */
  readonly files: readonly string[]
}

/**
 * Loads a manifest with everything that it includes. Fails with one `InvalidInput` that contains every problem of every
 * file: a tree that cannot be read as a whole means nothing (D15).
 *
 * @param read a caller that reads several environments may keep the files that they share
 */
export async function loadManifest(
  snapshot: Snapshot,
  path: string,
  read: ManifestReader = file => readManifestFile(snapshot, file),
): Promise<ManifestTree> {
  const loaded = await loadFiles(path, read)
  const { files, problems } = orderFiles(path, loaded.files)
  const [first, ...more] = [...loaded.problems, ...problems]
  if (first !== undefined) throw new InvalidInput([first, ...more])
  const { services, warnings } = mergeServices(files)
  const { skipConfirmation = false, confirmationAt } = files.at(-1) ?? {}
  const ignored = files.slice(0, -1).flatMap(file => ignoredConfirmation(file.confirmationAt))
  return {
    services,
    warnings: [...warnings, ...upTo(ignored, limits.problemsOfFile)],
    skipConfirmation,
    ...optional('confirmationAt', confirmationAt),
    files: files.map(file => file.path),
  }
}

/**
 * Returns the warning that `skipConfirmation` does not count where it stands (E15). It counts in the own manifest of an
 * environment, even if another one includes that.
 */
export function ignoredConfirmation(position: Position | undefined): readonly Problem[] {
  if (position === undefined || ownManifest.test(position.file)) return []
  const message = '/skipConfirmation does not count here, but only in the manifest of the environment itself'
  return [{ code: 'confirmation-ignored', message, position }]
}

const ownManifest = /(^|\/)environments\/[^/]+\/manifest\.json$/

const mostReads = 64

type Loaded = {
  readonly files: ReadonlyMap<string, ManifestFile | Unreadable>
  readonly problems: readonly Problem[]
}

/** Reads level by level, and the files of one level at the same time. Stops reading once it is too much (G24). */
async function loadFiles(root: string, readFile: ManifestReader): Promise<Loaded> {
  const limit = pLimit(mostReads)
  const files = new Map<string, ManifestFile | Unreadable>()
  let level: readonly string[] = [root]
  let services = 0
  let includes = 0
  const excess = () => excessOf(services, includes, root)
  for (let depth = 0; level.length > 0 && depth <= limits.includeDepth; depth++) {
    if (files.size + level.length > limits.includedFiles) {
      const message = `includes more than ${limits.includedFiles} files`
      return { files, problems: [{ code: 'too-many-includes', message, position: { file: root } }] }
    }
    const read = await limit.map(level, async path => {
      if (excess() !== undefined) return []
      const file = await readFile(path)
      services += 'services' in file ? file.services.length : 0
      includes += 'includes' in file ? file.includes.length : 0
      return [file]
    })
    const problem = excess()
    if (problem !== undefined) return { files: new Map(), problems: [problem] }
    for (const file of read.flat()) files.set(file.path, file)
    level = [...new Set(read.flat().flatMap(includedBy))].filter(path => !files.has(path))
  }
  return { files, problems: [] }
}

/** Returns the problem of a manifest that is too large; undefined if it is not. */
function excessOf(services: number, includes: number, file: string): Problem | undefined {
  if (services > limits.services) {
    const message = `names more than ${limits.services} services with all it includes; divide it into several environments`
    return { code: 'repository-too-large', message, position: { file } }
  }
  if (includes <= limits.includes) return undefined
  const message = `its files include more than ${limits.includes} times; name each file in one place`
  return { code: 'too-many-includes', message, position: { file } }
}

function includedBy(file: ManifestFile | Unreadable): readonly string[] {
  if ('reason' in file) return []
  return file.includes.flatMap(({ target }) => (target.ok ? [target.value] : []))
}

/**
 * The later definition of a service replaces the earlier one completely and has its own place. A warning names both
 * files (D1).
 */
function mergeServices(files: readonly ManifestFile[]): Pick<ManifestTree, 'services' | 'warnings'> {
  const services = new Map<string, ServiceEntry>()
  const warnings: Problem[] = []
  for (const service of files.flatMap(file => file.services)) {
    const earlier = services.get(service.name)
    if (earlier !== undefined) warnings.push(overridden(earlier, service))
    services.delete(service.name)
    services.set(service.name, service)
  }
  return { services: [...services.values()], warnings }
}

function overridden(earlier: ServiceEntry, { name, position }: ServiceEntry): Problem {
  const { file, line } = earlier.position
  const message = `service "${name}" is defined here and in ${file}:${line}; this one, the later, is taken whole`
  return { code: 'duplicate-service', message, position }
}
