import type { Ref } from '../ref.ts'
import { delimiter, flush, packetLine } from './pkt-line.ts'

/** What a server does for a repository: it lets it be read, or takes a push. */
export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** What a server says before it is asked anything: how it names objects, and in protocol 0 all its refs. */
export type Introduction =
  | { readonly protocol: 2; readonly format: string }
  | {
      readonly protocol: 0
      readonly format: string
      readonly refs: readonly Ref[]
      readonly capabilities: readonly string[]
    }

/** The first line of the first answer over HTTP. */
export function serviceLine(service: GitService): string {
  return `# service=${service}`
}

/**
 * Reads a server's first answer, given its lines without their line breaks. Undefined if they are not from git. A
 * server of protocol 2 may leave out the line that names the service.
 */
export function introductionOf(
  lines: readonly string[],
  service: GitService = 'git-upload-pack',
): Introduction | undefined {
  const isNamed = lines[0] === serviceLine(service)
  const [first, ...others] = isNamed ? lines.slice(1) : lines
  if (first === 'version 2') return { protocol: 2, format: formatIn(others) }
  if (!isNamed) return undefined
  const [head, ...rest] = first === 'version 1' ? others : lines.slice(1)
  return head === undefined
    ? { protocol: 0, format: 'sha1', refs: [], capabilities: [] }
    : everything(head, rest)
}

/** Returns the question for all refs whose names begin with a prefix, in protocol 2. */
export function listCommand(prefix: string): string {
  const lines = ['symrefs', 'peel', `ref-prefix ${prefix}`]
  return [packetLine('command=ls-refs'), delimiter, ...lines.map(packetLine), flush].join('')
}

/** Returns the refs in the answer to that question. Undefined if one of the lines is no ref. */
export function refsIn(lines: readonly string[]): readonly Ref[] | undefined {
  return allOf(
    lines.map(line => {
      const [oid = '', name = '', ...attributes] = line.split(' ')
      const peeled = valueIn(attributes, 'peeled:')
      const target = valueIn(attributes, 'symref-target:')
      return refOf({
        name,
        oid,
        ...(peeled === undefined ? {} : { peeled }),
        ...(target === undefined ? {} : { target }),
      })
    }),
  )
}

/** In protocol 0 the first line also contains the capabilities, and the commit of a tag is on a line of its own. */
function everything(head: string, rest: readonly string[]): Introduction | undefined {
  const [first = '', said = ''] = head.split('\0')
  const capabilities = said.split(' ')
  const format = formatIn(capabilities)
  if (format !== 'sha1' || /^0+ capabilities\^\{\}$/.test(first))
    return { protocol: 0, format, refs: [], capabilities }
  const lines = [first, ...rest].map(line => {
    const [oid = '', name = ''] = line.split(' ')
    return { oid, name }
  })
  const peeled = new Map(lines.map(({ name, oid }) => [name, oid]))
  const targets = new Map(
    capabilities.flatMap(one => {
      const [, name, target] = /^symref=([^:]+):(.+)$/.exec(one) ?? []
      return name === undefined || target === undefined ? [] : [[name, target] as const]
    }),
  )
  const refs = allOf(
    lines
      .filter(({ name }) => !name.endsWith('^{}'))
      .map(({ name, oid }) => {
        const target = targets.get(name)
        const commit = peeled.get(`${name}^{}`)
        return refOf({
          name,
          oid,
          ...(commit === undefined ? {} : { peeled: commit }),
          ...(target === undefined ? {} : { target }),
        })
      }),
  )
  return refs && { protocol: 0, format, refs, capabilities }
}

function formatIn(capabilities: readonly string[]): string {
  return valueIn(capabilities, 'object-format=') ?? 'sha1'
}

function valueIn(words: readonly string[], key: string): string | undefined {
  return words.find(word => word.startsWith(key))?.slice(key.length)
}

function refOf(ref: Ref): Ref | undefined {
  const isOid = (text: string) => /^[0-9a-f]{40}$/.test(text)
  return ref.name !== '' && isOid(ref.oid) && isOid(ref.peeled ?? ref.oid) ? ref : undefined
}

/** Returns all of them, or undefined if one of them is undefined. */
function allOf(refs: readonly (Ref | undefined)[]): readonly Ref[] | undefined {
  const found = refs.filter(ref => ref !== undefined)
  return found.length === refs.length ? found : undefined
}
