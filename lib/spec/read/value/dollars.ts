import { Secret, type Text } from '../../../state/secret/secret.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import { joined } from '../../../state/secret/text.ts'
import type { Spot } from '../../spot.ts'

/** The values of `${NAME}` in the texts of a service; undefined for one that could not be read. */
export type VariableValues = ReadonlyMap<string, Text | undefined>

/** What texts may name. */
export type Nameable = { readonly variables: VariableValues; readonly secrets: Secrets }

/**
 * Returns the text with its dollars replaced: `$$` becomes one dollar, `${NAME}` the service's variable of that name,
 * and any other dollar stays. If the result contains a secret, it is a secret itself. A name that is no variable is a
 * fault, and so is one that is never closed (A46).
 *
 * @param what the owner of the text, if the spot does not say it
 */
export function substitute(text: string, known: Nameable, spot: Spot, what = ''): Text | undefined {
  return substituted(piecesOf(text), known, spot, what)
}

function substituted(
  pieces: readonly Piece[],
  { variables, secrets }: Nameable,
  spot: Spot,
  what: string,
): Text | undefined {
  const there = variables.size === 0 ? 'the service has no variables' : 'the service has none of that name'
  const parts = pieces.map(({ literal, name, isOpen }) => {
    if (isOpen) {
      spot.fault(`${what === '' ? '' : `${what} `}${neverClosed}`)
      return undefined
    }
    if (name === undefined || variables.has(name)) return name === undefined ? literal : variables.get(name)
    spot.fault(`${what === '' ? '' : `${what} `}${named(name)}, and ${there}; ${escaped(name)}`)
    return undefined
  })
  const read = parts.filter(part => part !== undefined)
  return read.length < parts.length ? undefined : joined(read, secrets)
}

/**
 * Does the same for a text that everybody reads who may inspect the container or the plan. A variable that is a secret
 * is a fault there (G16). With a fault the text is returned unchanged.
 */
export function substitutePlain(text: string, known: Nameable, spot: Spot): string {
  const pieces = piecesOf(text)
  const secret = pieces.find(({ name }) => name !== undefined && known.variables.get(name) instanceof Secret)
  if (secret?.name !== undefined) {
    spot.fault(`${named(secret.name)}, which is a secret; only env and files of secret volumes take one`)
    return text
  }
  const read = substituted(pieces, known, spot, '')
  return typeof read === 'string' ? read : text
}

/** Does the same for a text that can name nothing. */
export function withoutNames(text: string, spot: Spot): string {
  return piecesOf(text)
    .map(({ literal, name, isOpen }) => {
      if (isOpen) spot.fault(neverClosed)
      if (name !== undefined) spot.fault(`${named(name)}, and no variable names another; ${escaped(name)}`)
      return literal
    })
    .join('')
}

/** Returns the names of variables in a text, each as often as it occurs. */
export function variablesNamedIn(text: string): readonly string[] {
  return text.includes('${') ? piecesOf(text).flatMap(({ name }) => name ?? []) : []
}

/** A part of a text: its literal text, and the name of the variable that replaces it, or the brace without an end. */
type Piece = { readonly literal: string; readonly name?: string; readonly isOpen?: true }

/** Looks no further once a brace is never closed. */
function piecesOf(text: string): readonly Piece[] {
  const lastBrace = text.lastIndexOf('}')
  const pieces: Piece[] = []
  let from = 0
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', Math.max(at + 1, from))) {
    const isName = text[at + 1] === '{'
    if (!isName && text[at + 1] !== '$') continue
    if (isName && at > lastBrace)
      return [...pieces, { literal: text.slice(from, at) }, { literal: text.slice(at), isOpen: true }]
    const end = isName ? text.indexOf('}', at) : at + 1
    const literal = text.slice(at, end + 1)
    pieces.push({ literal: text.slice(from, at) })
    pieces.push(isName ? { literal, name: literal.slice(2, -1) } : { literal: '$' })
    from = end + 1
  }
  return [...pieces, { literal: text.slice(from) }]
}

const neverClosed = 'has a ${ that no } closes; for a dollar as it stands write $$, as in $${'

function named(name: string): string {
  return `names the variable "${name}"`
}

/** Says how to keep it for the shell of the container. */
function escaped(name: string): string {
  return `for a dollar as it stands write $$, as in $\${${name}}`
}
