import { replaceJson } from '../document/edit-json.ts'
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
export function variablesIn({ file, text }: VariablesText): Readonly<Record<string, unknown>> {
  const { value } = isJson(file) ? parseJson(file, text) : parseYaml(file, text)
  return isRecord(value) ? value : {}
}

/**
 * Returns the text of a file of variables in which those of an application are as in another text, or are not there if
 * they are not there. Nothing else changes, neither its value nor how it is written. Fails with `rollback-refused` if
 * that cannot be done. Pure.
 */
export function spliceVariables(application: string, now: VariablesText, then: VariablesText): string {
  const [here, there] = [variablesIn(now), variablesIn(then)]
  const { [application]: _, ...others } = here
  const wanted = there[application]
  const expected = wanted === undefined ? others : { ...others, [application]: wanted }
  const spliced = isJson(now.file)
    ? inJson(application, now, wanted)
    : inYaml(application, now, then, wanted, Object.keys(there))
  if (spliced !== undefined && says({ file: now.file, text: spliced }, expected)) return spliced
  throw new Failure(
    'rollback-refused',
    `${now.file}: /${application} cannot be put back without touching something else`,
  )
}

/** Whether a text says exactly that. What was cut may have been referred to. */
function says(written: VariablesText, expected: object): boolean {
  try {
    return canonical(variablesIn(written)) === canonical(expected)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return false
  }
}

function inYaml(
  application: string,
  now: VariablesText,
  then: VariablesText,
  wanted: unknown,
  order: readonly string[],
): string | undefined {
  const own = isJson(then.file) ? undefined : yamlMember(then.text, application)
  const lines = wanted === undefined ? undefined : (own ?? memberText(application, wanted))
  return spliceYamlMember(
    now.text,
    application,
    lines,
    order.slice(0, Math.max(0, order.indexOf(application))),
  )
}

/** Returns a member on one line, which is YAML, too. */
function memberText(application: string, value: unknown): string {
  return `${JSON.stringify(application)}: ${JSON.stringify(value)}`
}

function inJson(application: string, { text }: VariablesText, wanted: unknown): string | undefined {
  const node = jsonNodes(text).members?.get(application)
  if (node === undefined || wanted === undefined) return undefined
  const written = JSON.stringify(wanted)
  return replaceJson({ text, node }, { text: written, node: jsonNodes(written) })
}

function isJson(file: string): boolean {
  return file.endsWith('.json')
}
