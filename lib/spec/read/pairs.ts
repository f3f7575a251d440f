import type { Spot } from '../spot.ts'

/** What Compose lets users write as a map or as a list of `NAME=VALUE`. */
export type Pairs = Readonly<Record<string, string | number | boolean>> | readonly string[]

/**
 * A map of texts. Numbers that lose their spelling in YAML (`1.10`) have to be quoted; a name without a value,
 * which Compose takes from its own environment, is refused; so is a name given twice.
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
  written: Readonly<Record<string, string | number | boolean>>,
  spot: Spot,
): readonly (readonly [string, string])[] {
  return Object.entries(written).flatMap(([name, value]) => {
    if (name === '' || name.includes('=')) {
      spot.at(name).fault(`"${name}" is no name`)
      return []
    }
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      spot.at(name).fault('is a number that loses its spelling; put it in quotes')
      return []
    }
    return [[name, String(value)] as const]
  })
}
