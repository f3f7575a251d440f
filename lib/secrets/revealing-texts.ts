import { linesIn, passwordsIn, shortestHidden } from '../text/redaction/redact.ts'

/**
 * Returns every text that reveals a secret: the secret, its lines and its parts, and all of these as they are written
 * in addresses, in JSON and in base64. Leaves out texts shorter than `shortestHidden`, because hiding them would
 * destroy any output.
 */
export function formsOf(secret: string): readonly string[] {
  const lines = linesIn(secret, shortestHidden)
  const plain = longEnough([secret, secret.trim(), ...lines, ...passwordsIn(secret), ...partsOf(secret)])
  const encoded = plain.filter(text => text.length <= longestEncoded).slice(0, mostEncoded)
  return [...new Set([...plain, ...longEnough(encoded.flatMap(encodingsOf))])]
}

/** Nobody prints longer texts encoded. Of a file with many lines the first ones suffice. */
const longestEncoded = 4_096
const mostEncoded = 64

/**
 * Returns the values of `name=value` and `name: value`, as in a connection string or a file of settings, and those of
 * JSON.
 */
function partsOf(secret: string): readonly string[] {
  return [...secret.split(/[\s;&|,?]+/), ...secret.split(/\r?\n/)].flatMap(settingOf).concat(leavesOf(secret))
}

function settingOf(pair: string): readonly string[] {
  const line = pair.trim()
  const name = /^["']?[\w.-]+["']?[ \t]*[=:]/.exec(line)?.[0]
  // `name://` begins an address and not a setting.
  return name === undefined || line.startsWith('//', name.length)
    ? []
    : [
        line
          .slice(name.length)
          .trim()
          .replace(/^["']/, '')
          .replace(/["']?,?$/, ''),
      ]
}

/** Returns every text in a secret that is JSON, and the lines of each. */
function leavesOf(secret: string): readonly string[] {
  if (!/^\s*[{[]/.test(secret)) return []
  const leaves: string[] = []
  try {
    JSON.parse(secret, (_, value: unknown) => {
      if (typeof value === 'string') leaves.push(value)
      return value
    })
  } catch {
    // It only looked like JSON. Its lines and pairs are hidden anyway.
  }
  return leaves.flatMap(leaf => [leaf, ...leaf.split('\n')])
}

function encodingsOf(text: string): readonly string[] {
  return [...inAddress(text), JSON.stringify(text).slice(1, -1), ...inBase64(text)]
}

/** Returns the text percent-encoded as browsers do it, as forms do it, and with lower-case digits. */
function inAddress(text: string): readonly string[] {
  if (!text.isWellFormed()) return []
  const encoded = encodeURIComponent(text)
  const small = encoded.replaceAll(/%[0-9A-F]{2}/g, code => code.toLowerCase())
  return [encoded, small, encoded.replaceAll('%20', '+')]
}

/**
 * Returns the three forms of a text in base64, which depend on what precedes it. Only characters that come from the
 * text alone are included.
 */
function inBase64(text: string): readonly string[] {
  return [0, 1, 2].flatMap(before => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)]
  })
}

function longEnough(texts: readonly string[]): readonly string[] {
  return texts.filter(text => text.length >= shortestHidden)
}
