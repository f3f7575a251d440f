import { insertJsonMember, jsonMember, removeJson, replaceJson } from '../document/edit-json.ts'
import { spliceYamlMember, yamlMember } from '../document/edit-yaml.ts'
import { parseJson } from '../document/json.ts'
import { jsonNodes } from '../document/json-nodes.ts'
import { parseYaml } from '../document/yaml.ts'
import { Failure, InvalidInput } from '../errors.ts'
import { isRecord } from '../object.ts'
import { canonical } from '../state/canonical.ts'

/** A file of variables by itself. */
export type VariablesText = { readonly file: string; readonly text: string }

/** What a file of variables says, by application. Fails with `InvalidInput` for a text that cannot be read. */
export function variablesIn({ file, text }: VariablesText): ReadonlyMap<string, unknown> {
  const { value } = isJson(file) ? parseJson(file, text) : parseYaml(file, text)
  return new Map(isRecord(value) ? Object.entries(value) : [])
}

/**
 * Returns the text of a file of variables in which those of an application are as in another text, or are not there if
 * they are not there. Nothing else changes, neither its value nor how it is written. Fails with `rollback-refused` if
 * that cannot be done. Pure.
 */
export function spliceVariables(application: string, now: VariablesText, then: VariablesText): string {
  const [here, there] = [variablesIn(now), variablesIn(then)]
  const wanted = there.get(application)
  const expected = new Map(here).set(application, wanted)
  const names = [...there.keys()]
  const before = names.slice(0, Math.max(0, names.indexOf(application)))
  const spliced = isJson(now.file)
    ? inJson(application, now, then, wanted, before)
    : inYaml(application, now, then, wanted, before)
  if (spliced !== undefined && says({ file: now.file, text: spliced }, expected)) return spliced
  throw new Failure(
    'rollback-refused',
    `${now.file}: /${application} cannot be put back without touching something else`,
  )
}

/** Whether a text says exactly that. What was cut may have been referred to. */
function says(written: VariablesText, expected: ReadonlyMap<string, unknown>): boolean {
  try {
    return variablesText(variablesIn(written)) === variablesText(expected)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return false
  }
}

/** Returns a text that is equal for equal variables, in any order. */
export function variablesText(variables: ReadonlyMap<string, unknown>): string {
  return canonical(Object.fromEntries([...variables].filter(([, value]) => value !== undefined)))
}

function inYaml(
  application: string,
  now: VariablesText,
  then: VariablesText,
  wanted: unknown,
  before: readonly string[],
): string | undefined {
  const own = isJson(then.file) ? undefined : yamlMember(then.text, application)
  const lines = wanted === undefined ? undefined : (own ?? memberText(application, wanted))
  return spliceYamlMember(now.text, application, lines, before)
}

/** Returns a member on one line, which is JSON and YAML. */
function memberText(application: string, value: unknown): string {
  return `${JSON.stringify(application)}: ${JSON.stringify(value)}`
}

function inJson(
  application: string,
  { text }: VariablesText,
  then: VariablesText,
  wanted: unknown,
  before: readonly string[],
): string {
  const here = { text, node: jsonNodes(text) }
  const node = here.node.members?.get(application)
  if (wanted === undefined)
    return removeJson(here, [...(here.node.members?.keys() ?? [])].indexOf(application))
  if (node !== undefined) {
    const value = JSON.stringify(wanted)
    return replaceJson({ text, node }, { text: value, node: jsonNodes(value) })
  }
  const member = memberText(application, wanted)
  const whole = { text: member, node: { start: 0, end: member.length } }
  const own = isJson(then.file) ? jsonMember(then.text, application) : undefined
  return insertJsonMember(here, own ?? whole, before)
}

/** Returns the text of a file without variables. */
export function noVariablesText(file: string): string {
  return isJson(file) ? '{}\n' : ''
}

function isJson(file: string): boolean {
  return file.endsWith('.json')
}
