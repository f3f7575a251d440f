import type { Document } from '../document/document.ts'
import { parseYaml } from '../document/yaml.ts'
import { InvalidInput, type Problem, withHint } from '../errors.ts'
import { isRecord } from '../object.ts'

const nowhere = () => ({ file: 'the command line' })

/** The configuration without a file. */
export const noFile: Document = {
  file: 'tallyman.yaml',
  value: {},
  tokens: 0,
  position: nowhere,
  keyPosition: nowhere,
  positionWithin: nowhere,
  spelling: () => undefined,
}

/** Reads a configuration file, which is a mapping or empty. Fails with `config-invalid`. */
export function parseConfig(file: string, text: string): Document {
  const document = readYaml(file, text)
  const { value } = document
  if (isRecord(value) || value === null || value === undefined) return document
  const message = `a configuration is a mapping of keys such as "repository:", and this is ${Array.isArray(value) ? 'a list' : 'a single value'}`
  throw new InvalidInput([{ code: 'config-invalid', message, position: document.position('') }])
}

function readYaml(file: string, text: string): Document {
  try {
    return parseYaml(file, text)
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(asConfigProblems(error))
    throw error
  }
}

function asConfigProblems({ problems: [first, ...others] }: InvalidInput): [Problem, ...Problem[]] {
  const coded = (problem: Problem): Problem => ({ ...withHint(problem), code: 'config-invalid' })
  return first === undefined
    ? [{ code: 'config-invalid', message: 'not readable' }]
    : [coded(first), ...others.map(coded)]
}
