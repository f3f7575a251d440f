import { Failure } from '../../errors.ts'
import type { Parsed } from '../parsed.ts'
import { malformed, parsed } from '../parsed.ts'

/** An image reference, split and normalised. Only the tag may be left to its default. */
export type Reference = {
  /** `docker.io` for Docker Hub; otherwise as written: `registry.example.com:5000`. */
  readonly host: string
  /** The path below the host. Docker Hub's official images begin with `library/`. */
  readonly repository: string
  readonly tag?: string
  /** `sha256:` and 64 hex digits. */
  readonly digest?: string
}

/** Whether a text can be the tag of an image. */
export function isTag(text: string): boolean {
  return tagPattern.test(text)
}

/** Whether a text is a digest: `sha256:` and 64 hex digits. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && digestPattern.test(text)
}

/** Splits an image reference by Docker's rules for familiar names. Fails with `image-invalid`. */
export function parseReference(text: string): Reference {
  const reference = readReference(text)
  if (!reference.ok) throw new Failure('image-invalid', `image reference "${text}" ${reference.reason}`)
  return reference.value
}

/** Like `parseReference`, but returns the reason as a value, for callers that collect errors. */
export function readReference(text: string): Parsed<Reference> {
  const [named = '', digest, ...more] = text.split('@')
  if (more.length > 0) return malformed('has more than one "@"')
  if (digest !== undefined && !isDigest(digest))
    return malformed('has a digest that is not sha256: and 64 hex digits')
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const name = colon === -1 ? named : named.slice(0, colon)
  const tag = colon === -1 ? undefined : named.slice(colon + 1)
  if (tag !== undefined && !isTag(tag))
    return malformed('has a tag that is not 1 to 128 letters, digits, "_", "." or "-"')
  const place = placeOf(name)
  const fault = faultOf(place)
  if (fault !== undefined) return malformed(fault)
  return parsed({
    ...place,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  })
}

/** Returns one spelling for equal references: `docker.io/library/web:1.2`, with `@sha256:…` if there is a digest. */
export function formatReference(reference: Reference): string {
  const { host, repository, tag, digest } = reference
  return `${host}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`
}

/** Returns `registry.example.com/team/web@sha256:…`, without the tag, so that the digest alone decides. */
export function pinnedReference(reference: string, digest: string): string {
  const { host, repository } = parseReference(reference)
  return formatReference({ host, repository, digest })
}

/** Returns the spelling that the engine shows: Docker Hub's host and `library/` are left out. */
export function familiarReference(reference: Reference): string {
  const full = formatReference(reference)
  if (reference.host !== hub) return full
  const path = full.slice(hub.length + 1)
  return reference.repository.startsWith('library/') ? path.slice('library/'.length) : path
}

/** Whether a name begins with a registry's host, so that no registry prefix has to be added. */
export function hasHost(name: string): boolean {
  const slash = name.indexOf('/')
  if (slash === -1) return false
  const first = name.slice(0, slash)
  return /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase()
}

const hub = 'docker.io'
const longestName = 255
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const hostPattern = new RegExp(String.raw`^(?:${label}(?:\.${label})*|\[[a-fA-F0-9:]+\])(?::([0-9]{1,5}))?$`)
const highestPort = 65_535
const component = '[a-z0-9]+(?:(?:[.]|_|__|-+)[a-z0-9]+)*'
const repositoryPattern = new RegExp(`^${component}(?:/${component})*$`)
const tagPattern = /^\w[\w.-]{0,127}$/
const digestPattern = /^sha256:[0-9a-f]{64}$/

function placeOf(name: string): Reference {
  if (!hasHost(name)) return { host: hub, repository: official(name) }
  const slash = name.indexOf('/')
  const host = name.slice(0, slash)
  const repository = name.slice(slash + 1)
  if (host === hub || host === 'index.docker.io') return { host: hub, repository: official(repository) }
  return { host, repository }
}

function official(path: string): string {
  return path.includes('/') ? path : `library/${path}`
}

function faultOf({ host, repository }: Reference): string | undefined {
  const read = hostPattern.exec(host)
  if (read === null) return 'has a registry that is no host name'
  const port = Number(read[1] ?? highestPort)
  if (port < 1 || port > highestPort) return `has a registry whose port is not between 1 and ${highestPort}`
  if (host.length + repository.length + 1 > longestName) return `is longer than ${longestName} characters`
  if (!repositoryPattern.test(repository))
    return 'has a name that is not lower-case letters and digits, joined by ".", "_", "-" and "/"'
  if (/^library\/[0-9a-f]{64}$/.test(repository)) return 'looks like an image id; name an image and a tag'
  return undefined
}
