import type { Document } from '../document/document.ts'
import { pointerTo } from '../document/document.ts'
import { parseJson } from '../document/json.ts'
import type { ErrorCode, Position, Problem } from '../errors.ts'
import { Failure, InvalidInput } from '../errors.ts'
import { checkSchema } from '../schema.ts'
import type { Parsed } from '../state/parsed.ts'
import type { ContainerEntry, ServiceEntry } from '../state/service-entry.ts'
import type { Snapshot } from '../state/snapshot.ts'
import { resolveInclude } from './include.ts'
import type { Container, Manifest, Service } from './manifest.gen.ts'

/** One file of an include tree, taken by itself. */
export type ManifestFile = {
  readonly path: string
  readonly includes: readonly Include[]
  /** Empty when there are problems. */
  readonly services: readonly ServiceEntry[]
  readonly skipConfirmation: boolean
  readonly problems: readonly Problem[]
}

/** One entry of `includes`: as written, and the path it means. */
export type Include = {
  readonly text: string
  readonly target: Parsed<string>
  readonly pointer: string
  readonly position: Position
}

/** A file that cannot be read at all, and why. */
export type Unreadable = { readonly path: string; readonly code: ErrorCode; readonly reason: string }

/**
 * Reads one manifest file. What is wrong in it is part of the answer, so that the other files are looked at too;
 * a source that does not answer fails as the snapshot does.
 */
export async function readManifestFile(snapshot: Snapshot, path: string): Promise<ManifestFile | Unreadable> {
  try {
    return manifestFile(parseJson(path, await snapshot.read(path)))
  } catch (error) {
    if (error instanceof InvalidInput)
      return { path, includes: [], services: [], skipConfirmation: false, problems: error.problems }
    if (error instanceof Failure && isAboutTheFile(error.code))
      return { path, code: error.code, reason: error.message.replace(`${path}: `, '') }
    throw error
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
  const problems = checkSchema('manifest', document)
  if (problems.length > 0) return { path, includes, services: [], skipConfirmation: false, problems }
  const manifest = document.value as Manifest
  const services = (manifest.services ?? []).map((service, index) => serviceOf(service, index, document))
  return {
    path,
    includes,
    services,
    skipConfirmation: manifest.skipConfirmation ?? false,
    problems: duplicatesAmong(services, document),
  }
}

/** Also of a file that breaks its schema elsewhere: what it includes is to be checked in the same go. */
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

/** An empty `dockerName` is none (E3). */
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

function duplicatesAmong(services: readonly ServiceEntry[], document: Document): readonly Problem[] {
  const first = new Map<string, ServiceEntry>()
  return services.flatMap((service, index): readonly Problem[] => {
    const earlier = first.get(service.name)
    if (earlier === undefined) {
      first.set(service.name, service)
      return []
    }
    const pointer = `/services/${index}/name`
    const message = `${pointer} "${service.name}" stands twice in this file, first in line ${earlier.position.line}`
    return [{ code: 'duplicate-service', message, position: document.position(pointer) }]
  })
}
