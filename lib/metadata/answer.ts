import { malformed, type Parsed } from '../state/parsed.ts'
import { askedPod } from './address.ts'
import { type Form, parseForm, theField } from './form.ts'
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

/**
 * Answers a request of a pod (C53). Undefined is a pod that nobody knows: whoever has no token is told nothing else.
 * @param key of all signatures
 */
export function answer(request: Request, record: PodRecord | undefined, key: Buffer): MetadataAnswer {
  if (record === undefined) return inPlainText(401, 'Unknown token.')
  const { path } = askedPod(request.url)
  if (path === undefined) return inPlainText(400, 'The address has an escape that is no text in UTF-8.')
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
  const content = theField(formOf(request), 'content')
  if (!content.ok) return inPlainText(400, content.reason)
  const pod = parseUuid(uuid)
  if (pod === undefined) throw new Error(`the pod has no UUID: ${uuid}`)
  return inPlainText(200, sign(key, pod, content.value))
}

function verified(request: Request, key: Buffer): MetadataAnswer {
  const form = formOf(request)
  const content = theField(form, 'content')
  if (!content.ok) return inPlainText(400, content.reason)
  const uuid = theField(form, 'uuid')
  if (!uuid.ok) return inPlainText(400, uuid.reason)
  const pod = parseUuid(uuid.value.toString('latin1'))
  if (pod === undefined) return inPlainText(400, 'The field "uuid" is no UUID of a pod.')
  const signature = theField(form, 'signature')
  if (!signature.ok) return inPlainText(400, signature.reason)
  const isRight = verify(key, pod, content.value, signature.value.toString('latin1'))
  if (isRight === undefined) return inPlainText(400, 'The field "signature" is no base64.')
  return isRight ? inPlainText(200, '') : inPlainText(403, 'That pod did not sign this content.')
}

const formType = 'application/x-www-form-urlencoded'

function formOf({ contentType, body }: Request): Parsed<Form> {
  const [type = ''] = contentType.split(';', 1)
  return type.trim().toLowerCase() === formType
    ? parseForm(body)
    : malformed(`A form has the content type ${formType}.`)
}

function json(value: unknown): MetadataAnswer {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(value) }
}

/** An answer in plain text, exactly of the type that the specification's validator compares. */
export function inPlainText(status: number, body: string): MetadataAnswer {
  return { status, contentType: 'text/plain; charset=us-ascii', body }
}
