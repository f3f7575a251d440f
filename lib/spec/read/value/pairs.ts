import type { Scalar, Spot } from '../../spot.ts'

/** A map, or a list of `NAME=VALUE`: Compose allows both. */
export type Pairs = Readonly<Record<string, Scalar>> | readonly string[]

/** Whether a variable may have such a name. Nobody can read one with blanks, control characters or an equals sign. */
export function isVariableName(name: string): boolean {
  return name !== '' && !/[\s=\x00-\x1f\x7f]/.test(name)
}

/**
 * Reads a map of texts, each in its own spelling. A name without a value, which Compose takes from its own environment,
 * is refused, and so is a duplicate name.
 */
export function readPairs(written: Pairs, spot: Spot): Readonly<Record<string, string>> {
  const entries = isList(written) ? listed(written, spot) : mapped(written, spot)
  return Object.fromEntries(entries)
}

function isList(written: Pairs): written is readonly string[] {
  return Array.isArray(written)
}

function listed(written: readonly string[], spot: Spot): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  written.forEach((line, index) => {
    const equals = line.indexOf('=')
    const name = line.slice(0, equals)
    if (equals === -1) spot.at(index).fault(`"${line}" has no value; write NAME=VALUE`)
    else if (name === '') spot.at(index).fault(`"${line}" has no name; write NAME=VALUE`)
    else if (entries.has(name)) spot.at(index).fault(`gives ${name} a second time`)
    else entries.set(name, line.slice(equals + 1))
  })
  return entries
}

function mapped(
  written: Readonly<Record<string, Scalar>>,
  spot: Spot,
): readonly (readonly [string, string])[] {
  return Object.entries(written).flatMap(([name, value]) => {
    if (name === '' || name.includes('=')) {
      spot.at(name).fault(`"${name}" is no name`)
      return []
    }
    return [[name, spot.at(name).text(value)] as const]
  })
}
