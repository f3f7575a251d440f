import { pointerTo } from '../document/document.ts'
import { insertJson, insertJsonMember, removeJson, replaceJson } from '../document/edit-json.ts'
import { parseJson } from '../document/json.ts'
import { type JsonNode, jsonNodes } from '../document/json-nodes.ts'
import { Failure } from '../errors.ts'
import { isRecord } from '../object.ts'
import { canonical } from '../state/canonical.ts'

/** A manifest file by itself. */
export type ManifestText = { readonly file: string; readonly text: string }

/**
 * Returns the text of a manifest file in which the entry of a service is as it was in another text of a manifest. It
 * replaces the entry of that name, or comes after the one that it came after. Nothing else changes, neither its value
 * nor how it is written. Fails with `rollback-refused` if that cannot be done, and with `InvalidInput` for a text that is
 * no manifest. Pure.
 */
export function spliceEntry(name: string, now: ManifestText, then: ManifestText): string {
  const [here, there] = [servicesIn(now), servicesIn(then)]
  const wanted = there.names.indexOf(name)
  const entry = there.nodes[wanted]
  if (entry === undefined) throw refusal(now, `${then.file} had no entry of "${name}"`)
  const list = here.list
  // The key is optional, and may have gone with its last entry.
  if (list === undefined) return spliceEntry(name, { ...now, text: withServices(now.text, then.text) }, then)
  const index = here.names.indexOf(name)
  const at = { text: then.text, node: entry }
  const own = here.nodes[index]
  const isNew = own === undefined
  const place = isNew ? placeAfter(there.names.slice(0, wanted), here.names) : index
  const spliced = isNew
    ? insertJson({ text: now.text, node: list }, place, at)
    : replaceJson({ text: now.text, node: own }, at)
  const expected = here.values.toSpliced(place, isNew ? 0 : 1, there.values[wanted])
  const result = servicesIn({ file: now.file, text: spliced })
  const isAsMeant =
    canonical(result.values) === canonical(expected) && canonical(result.rest) === canonical(here.rest)
  if (!isAsMeant)
    throw refusal(now, `the entry of "${name}" cannot be put back without touching something else`)
  return spliced
}

/** Returns the text of a manifest with an empty list of services, at its place in another one. */
function withServices(text: string, then: string): string {
  const keys = [...(jsonNodes(then).members?.keys() ?? [])]
  const member = '"services": []'
  return insertJsonMember(
    { text, node: jsonNodes(text) },
    { text: member, node: { start: 0, end: member.length } },
    keys.slice(0, keys.indexOf('services')),
  )
}

/**
 * Returns the text of a manifest file without the entry of a service, and otherwise the same. Fails as `spliceEntry` does.
 * Pure.
 */
export function removeEntry(name: string, now: ManifestText): string {
  const here = servicesIn(now)
  const index = here.names.indexOf(name)
  if (here.list === undefined || index === -1) return now.text
  const removed = removeJson({ text: now.text, node: here.list }, index)
  const result = servicesIn({ file: now.file, text: removed })
  const isAsMeant =
    canonical(result.values) === canonical(here.values.toSpliced(index, 1)) &&
    canonical(result.rest) === canonical(here.rest)
  if (!isAsMeant)
    throw refusal(now, `the entry of "${name}" cannot be removed without touching something else`)
  return removed
}

type Services = {
  readonly list: JsonNode | undefined
  readonly nodes: readonly JsonNode[]
  readonly values: readonly unknown[]
  readonly names: readonly unknown[]
  /** What else is in the file. */
  readonly rest: unknown
}

function servicesIn({ file, text }: ManifestText): Services {
  const { value } = parseJson(file, text)
  if (!isRecord(value)) throw refusal({ file }, `${pointerTo('', 'services')} is missing`)
  const { services, ...rest } = value
  const list = jsonNodes(text).members?.get('services')
  const values: readonly unknown[] = Array.isArray(services) ? services : []
  const names = values.map(one => (isRecord(one) ? one['name'] : undefined))
  return { list, nodes: list?.items ?? [], values, names, rest }
}

/** Returns the index after the last of those that came before, or 0 if none of them is there. */
function placeAfter(before: readonly unknown[], names: readonly unknown[]): number {
  const last = before.findLast(name => names.includes(name))
  return last === undefined ? 0 : names.indexOf(last) + 1
}

function refusal({ file }: Pick<ManifestText, 'file'>, what: string): Failure {
  return new Failure('rollback-refused', `${file}: ${what}`)
}
