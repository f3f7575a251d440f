import { parseForm, theField } from './form.ts'
import type { AppRecord, PodRecord } from './record.ts'
import { parseUuid, sign, verify } from './signature.ts'

/** A request to the metadata service. */
export type Request = {
  readonly method: string
  /** With the query, as it was sent. */
  readonly url: string
  readonly contentType: string
  readonly body: Buffer
}

export type MetadataAnswer = {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** The methods that are meant, of an answer to another one. */
  readonly allow?: string
}

/** What a request is about: whose pod, and what of it. `path` is what follows the prefix of the interface. */
export type AskedPod = { readonly token: string; readonly path: readonly string[] }

/** Reads the address of a request. An address without the prefix has an empty path, which leads nowhere. */
export function askedPod(url: string): AskedPod {
  const [path = ''] = url.split('?', 1)
  const [, token = '', ...rest] = path.split('/')
  const isInterface = rest[0] === 'acMetadata' && rest[1] === 'v1'
  return { token, path: isInterface ? rest.slice(2) : [] }
}

/** Whether a request has a body that matters. */
export function isForm({ path: [kind, hmac] }: AskedPod): boolean {
  return kind === 'pod' && hmac === 'hmac'
}

/**
 * Answers a request of a pod (C53). Undefined is a pod that nobody knows: whoever has no token is told nothing else.
 * @param key of all signatures
 */
export function answer(request: Request, record: PodRecord | undefined, key: Buffer): MetadataAnswer {
  if (record === undefined) return inPlainText(401, 'Unknown token.')
  const { path } = askedPod(request.url)
  const endpoint = endpointOf(path, record)
  if (typeof endpoint === 'string') return inPlainText(404, endpoint)
  if (!endpoint.methods.includes(request.method))
    return { ...inPlainText(405, 'Wrong method.'), allow: endpoint.methods.join(', ') }
  return endpoint.answer(request, key)
}

type Endpoint = {
  readonly methods: readonly string[]
  answer(request: Request, key: Buffer): MetadataAnswer
}

/** Returns an endpoint, or why there is none. */
function endpointOf(path: readonly string[], record: PodRecord): Endpoint | string {
  const [kind, name = '', ...rest] = path
  if (kind === 'pod') return ofPod([name, ...rest].join('/'), record) ?? nothing
  if (kind !== 'apps') return nothing
  if (!Object.hasOwn(record.apps, name)) return 'Unknown app.'
  const app = record.apps[name]
  return (app && ofApp(rest.join('/'), app)) ?? nothing
}

const nothing = 'There is nothing at this address.'

function ofPod(what: string, record: PodRecord): Endpoint | undefined {
  switch (what) {
    case 'annotations':
      return tells(json(record.annotations))
    case 'manifest':
      return tells(json(record.manifest))
    case 'uuid':
      return tells(inPlainText(200, record.uuid))
    case 'hmac/sign':
      return takes((request, key) => signed(request, record, key))
    case 'hmac/verify':
      return takes(verified)
    default:
      return undefined
  }
}

function ofApp(what: string, app: AppRecord): Endpoint | undefined {
  switch (what) {
    case 'annotations':
      return tells(json(app.annotations))
    case 'image/manifest':
      return app.imageManifest && tells(json(app.imageManifest))
    case 'image/id':
      return tells(inPlainText(200, app.imageId))
    default:
      return undefined
  }
}

function tells(answer: MetadataAnswer): Endpoint {
  return { methods: ['GET', 'HEAD'], answer: () => answer }
}

function takes(answer: Endpoint['answer']): Endpoint {
  return { methods: ['POST'], answer }
}

function signed(request: Request, { uuid }: PodRecord, key: Buffer): MetadataAnswer {
  const content = formOf(request)('content')
  const bytes = parseUuid(uuid)
  if (!content?.length || bytes === undefined) return inPlainText(400, 'The form needs "content".')
  return inPlainText(200, sign(key, bytes, content))
}

function verified(request: Request, key: Buffer): MetadataAnswer {
  const field = formOf(request)
  const [content, uuid, signature] = [field('content'), field('uuid'), field('signature')]
  if (!content?.length) return inPlainText(400, 'The form needs "content".')
  const bytes = uuid && parseUuid(uuid.toString('latin1'))
  if (bytes === undefined) return inPlainText(400, 'The form needs "uuid", the UUID of a pod.')
  const isRight = signature && verify(key, bytes, content, signature.toString('latin1'))
  if (isRight === undefined) return inPlainText(400, 'The form needs "signature", in base64.')
  return isRight ? inPlainText(200, '') : inPlainText(403, 'That pod did not sign this content.')
}

/** Returns what reads the fields of the form; none of another kind of body. */
function formOf({ contentType, body }: Request): (name: string) => Buffer | undefined {
  const [type = ''] = contentType.split(';', 1)
  const isMeant = type.trim().toLowerCase() === 'application/x-www-form-urlencoded'
  const form = isMeant ? parseForm(body) : undefined
  return name => form && theField(form, name)
}

function json(value: unknown): MetadataAnswer {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(value) }
}

/** An answer in plain text, exactly of the type that the specification's validator compares. */
export function inPlainText(status: number, body: string): MetadataAnswer {
  return { status, contentType: 'text/plain; charset=us-ascii', body }
}
