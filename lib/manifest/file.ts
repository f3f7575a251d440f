import type { Document } from '../document/document.ts'
import { pointerTo } from '../document/document.ts'
import { parseJson } from '../document/json.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { Position, Problem } from '../errors.ts'
import { Failure, InvalidInput, withoutFile } from '../errors.ts'
import { checkSchema } from '../schema.ts'
import type { ContainerEntry, ServiceEntry } from '../state/application/service-entry.ts'
import type { Parsed } from '../state/parsed.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import { resolveInclude } from './include-path.ts'
import type { Container, Manifest, Service } from './manifest.gen.ts'

/** One file of an include tree by itself. */
export type ManifestFile = {
  readonly path: string
  readonly includes: readonly Include[]
  /** Empty if there are problems. */
  readonly services: readonly ServiceEntry[]
  readonly skipConfirmation: boolean
  /** Where it says that or the opposite. */
  readonly confirmationAt?: Position
  readonly problems: readonly Problem[]
}

/** One entry of `includes`: as written, and the path that it means. */
export type Include = {
  readonly text: string
  readonly target: Parsed<string>
  readonly pointer: string
  readonly position: Position
}

/** A file that cannot be read at all, and why. */
export type Unreadable = {
  readonly path: string
  readonly code: ErrorCode
  readonly reason: string
  readonly hint: string
}

/**
 * Reads one manifest file. Problems in it are part of the result, so that the other files are checked too. If the
 * source does not answer, fails as the snapshot does.
 */
export async function readManifestFile(snapshot: Snapshot, path: string): Promise<ManifestFile | Unreadable> {
  try {
    return parseManifest(path, await snapshot.read(path))
  } catch (error) {
    if (error instanceof Failure && isAboutTheFile(error.code))
      return { path, code: error.code, reason: withoutFile(error.message, path), hint: error.hint }
    throw error
  }
}

/** Returns a manifest file by its path. */
export type ManifestReader = (path: string) => Promise<ManifestFile | Unreadable>

/** Parses one manifest file. Problems in it are part of the result. */
export function parseManifest(path: string, text: string): ManifestFile {
  try {
    return manifestFile(parseJson(path, text))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { path, includes: [], services: [], skipConfirmation: false, problems: error.problems }
  }
}

const aboutTheFile: readonly ErrorCode[] = [
  'file-missing',
  'file-too-large',
  'file-not-text',
  'path-forbidden',
]

function isAboutTheFile(code: ErrorCode): boolean {
  return aboutTheFile.includes(code)
}

function manifestFile(document: Document): ManifestFile {
  const path = document.file
  const includes = includesOf(document)
  const problems = [...checkSchema('manifest', document), ...duplicatesAmong(document)]
  if (problems.length > 0) return { path, includes, services: [], skipConfirmation: false, problems }
  const manifest = document.value as Manifest
  const services = (manifest.services ?? []).map((service, index) => serviceOf(service, index, document))
  return {
    path,
    includes,
    services,
    skipConfirmation: manifest.skipConfirmation ?? false,
    ...(manifest.skipConfirmation === undefined
      ? {}
      : { confirmationAt: document.position('/skipConfirmation') }),
    problems,
  }
}

/** Also returns the includes of a file that breaks its schema elsewhere, so that they are checked at the same time. */
function includesOf(document: Document): readonly Include[] {
  const { value } = document
  if (typeof value !== 'object' || value === null || !('includes' in value) || !Array.isArray(value.includes))
    return []
  return value.includes.flatMap((text: unknown, index) => {
    if (typeof text !== 'string' || text === '') return []
    const pointer = pointerTo('/includes', index)
    return [
      { text, target: resolveInclude(document.file, text), pointer, position: document.position(pointer) },
    ]
  })
}

function serviceOf({ name, version, containers }: Service, index: number, document: Document): ServiceEntry {
  const pointer = pointerTo('/services', index)
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(containers === undefined
      ? {}
      : {
          containers: containers.map((container, i) =>
            containerOf(container, `${pointer}/containers/${i}`, document),
          ),
        }),
    position: document.position(pointer),
  }
}

/** An empty `dockerName` counts as absent (E3). */
function containerOf(
  { dockerName = '', dockerTag, dockerDigest }: Container,
  pointer: string,
  document: Document,
): ContainerEntry {
  return {
    ...(dockerName === '' ? {} : { dockerName }),
    dockerTag,
    ...(dockerDigest === undefined ? {} : { dockerDigest }),
    position: document.position(pointer),
  }
}

/** Also checks a file that breaks its schema elsewhere. */
function duplicatesAmong(document: Document): readonly Problem[] {
  const { value } = document
  if (typeof value !== 'object' || value === null || !('services' in value) || !Array.isArray(value.services))
    return []
  const first = new Map<string, Position>()
  return value.services.flatMap((service: unknown, index): readonly Problem[] => {
    if (typeof service !== 'object' || service === null || !('name' in service)) return []
    const { name } = service
    if (typeof name !== 'string') return []
    const earlier = first.get(name)
    if (earlier === undefined) {
      first.set(name, document.position(pointerTo('/services', index)))
      return []
    }
    const pointer = `/services/${index}/name`
    const message = `${pointer} "${name}" stands twice in this file, first in line ${earlier.line}`
    return [{ code: 'duplicate-service', message, position: document.position(pointer) }]
  })
}
