import type { ImageCode } from '../../engine.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { Failure } from '../../errors.ts'

/** What the engine refuses, in its own words. */
export type Refusal = { readonly status: number; readonly message: string }

/**
 * Returns a refusal as a Failure: where first, then the engine's words. Most causes can be distinguished only by these
 * words.
 */
export function refused(site: string, resource: string, { status, message }: Refusal): Failure {
  return new Failure(
    codeIn({ status, message }),
    `${site}: ${resource}: ${message || `the engine answered ${status}`}`,
    {
      resource,
    },
  )
}

function codeIn(refusal: Refusal): ErrorCode {
  const { message } = refusal
  if (isLeaving(refusal)) return 'engine-unreachable'
  const known = causes.find(({ words }) => words.test(message))
  return known?.code ?? (isNoSuchCall(message) ? 'engine-unsupported' : 'engine-refused')
}

/** The container runtime is gone already: the engine is shutting down, and this says nothing about containers. */
const lastWords = /transport is closing|server is shutting down|: unavailable$/i

/** Whether an engine refuses because it is shutting down. What was wrong with the call may have such words in a name. */
export function isLeaving({ status, message }: Refusal): boolean {
  return status >= 500 && lastWords.test(message)
}

const noRoom = /no space left on device|disk quota exceeded/i

const causes: readonly { readonly words: RegExp; readonly code: ErrorCode }[] = [
  { words: noRoom, code: 'disk-full' },
  { words: /port is already allocated|address already in use|ports are not available/i, code: 'port-taken' },
  {
    words: /error looking up \w+ plugin|no log driver named|unknown log driver/i,
    code: 'driver-missing',
  },
  { words: /no such image/i, code: 'image-not-found' },
  { words: /no such container/i, code: 'container-missing' },
  {
    words: /bind source path does not exist|invalid mount config|error while mounting|failed to mount/i,
    code: 'mount-refused',
  },
  { words: /address pool/i, code: 'address-pool-empty' },
  {
    words:
      /OCI runtime|executable file not found|exec format error|failed to create (shim )?task|unable to find (user|group)/i,
    code: 'start-refused',
  },
]

/**
 * Returns what came of a question to a registry through the engine, as a Failure that names the image. Nothing is kept
 * on the engine for that, so whatever a registry says, it says it of itself and of this image (D15).
 */
export function questionFailure(site: string, image: string, refusal: Refusal): Failure {
  return imageFailure(site, image, refusal, toldCode(refusal) ?? 'registry-unreachable')
}

/** Returns why an image cannot be pulled, as a Failure that names it. What is pulled needs room on the engine. */
export function pullFailure(site: string, image: string, refusal: Refusal): Failure {
  const isFull = noRoom.test(withoutNames(refusal.message)) && !isNoSuchCall(refusal.message)
  return imageFailure(site, image, refusal, isFull ? 'disk-full' : (toldCode(refusal) ?? 'pull-failed'))
}

function imageFailure(site: string, image: string, { status, message }: Refusal, code: ErrorCode): Failure {
  return new Failure(code, `${site}: ${image}: ${message || `the engine answered ${status}`}`, {
    resource: image,
  })
}

/** Returns the cause that a registry, or an engine without the call, tells; undefined if none is known. */
function toldCode({ status, message }: Refusal): ImageCode | undefined {
  if (isNoSuchCall(message)) return 'engine-unsupported'
  if (wordsOfProxy.test(message.trim())) return 'registry-unreachable'
  const said = withoutNames(message)
  return registryCauses.find(({ words }) => words.test(said))?.code ?? codeOf(status)
}

/**
 * A proxy refused the way to the registry (CONNECT), of which an engine says the words of the status alone, such as
 * "Forbidden". The errors of registries begin with a code in small letters and a colon.
 */
const wordsOfProxy = /(Get|Head|Post) "?https?:[^\s"]+"?: [A-Z][^:"]*$/

/** Removes addresses and names of images, which may contain any word. */
function withoutNames(message: string): string {
  return message
    .split(/\s+/)
    .filter(word => !word.includes('/'))
    .join(' ')
}

/** Whether the engine lacks the call, which says nothing about any image. */
function isNoSuchCall(message: string): boolean {
  return /^((404 )?page )?not found\.?$|^path \S+ is not supported$/i.test(message.trim())
}

/**
 * The order matters: a name without a host may be that of an error, and a host that is not found is no missing image.
 */
const registryCauses: readonly { readonly words: RegExp; readonly code: ImageCode }[] = [
  { words: /manifest unknown|name unknown|no matching manifest/i, code: 'image-not-found' },
  { words: /toomanyrequests|too many requests|HTTP 429/i, code: 'registry-rate-limited' },
  {
    words:
      /dial tcp|no such host|connection re(fused|set)|timeout|deadline exceeded|\bEOF\b|x509|tls:|HTTP response to HTTPS|internal server error|bad gateway|\bunavailable\b|HTTP 5\d\d|proxyconnect|proxy authentication required/i,
    code: 'registry-unreachable',
  },
  {
    words: /denied|unauthorized|authentication required|no basic auth|forbidden|HTTP 40[13]/i,
    code: 'registry-denied',
  },
  { words: /not found/i, code: 'image-not-found' },
  { words: /invalid reference format/i, code: 'image-invalid' },
]

function codeOf(status: number): ImageCode | undefined {
  switch (status) {
    case 401:
    case 403:
      return 'registry-denied'
    case 404:
      return 'image-not-found'
    case 429:
      return 'registry-rate-limited'
    default:
      return undefined
  }
}
