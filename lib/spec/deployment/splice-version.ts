import { replaceJson } from '../../document/edit-json.ts'
import { replaceYamlMember } from '../../document/edit-yaml.ts'
import { parseJson } from '../../document/json.ts'
import { jsonNodes } from '../../document/json-nodes.ts'
import { parseYaml } from '../../document/yaml.ts'
import { Failure } from '../../errors.ts'
import { isRecord } from '../../object.ts'
import { canonical } from '../../state/canonical.ts'

const key = 'application-version'

/**
 * Returns the text of a deployment specification that names another version, and is otherwise the same, also in how it
 * is written. Fails with `rollback-refused` if that cannot be done, and with `InvalidInput` for a text that cannot be
 * read. Pure.
 */
export function spliceVersion(file: string, text: string, version: string): string {
  const spliced = file.endsWith('.json') ? inJson(text, version) : replaceYamlMember(text, key, version)
  const before = contentOf(file, text)
  if (spliced !== undefined && isRecord(before)) {
    const expected = { ...before, [key]: version }
    if (canonical(contentOf(file, spliced)) === canonical(expected)) return spliced
  }
  throw new Failure('rollback-refused', `${file}: /${key} cannot be changed without touching something else`)
}

function inJson(text: string, version: string): string | undefined {
  const node = jsonNodes(text).members?.get(key)
  if (node === undefined) return undefined
  const written = JSON.stringify(version)
  return replaceJson({ text, node }, { text: written, node: { start: 0, end: written.length } })
}

function contentOf(file: string, text: string): unknown {
  return (file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)).value
}
