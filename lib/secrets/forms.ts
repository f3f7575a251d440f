import { linesIn, passwordsIn, shortestHidden } from '../redact.ts'

/**
 * Everything that gives a secret away: the secret, each of its lines, its parts, and these as they stand in addresses,
 * in JSON and in base64. Shorter ones than `shortestHidden` are left out: hiding them would shred any text.
 */
export function formsOf(secret: string): readonly string[] {
  const lines = linesIn(secret, shortestHidden)
  const plain = longEnough([secret, secret.trim(), ...lines, ...passwordsIn(secret), ...partsOf(secret)])
  const encoded = plain.filter(text => text.length <= longestEncoded).slice(0, mostEncoded)
  return [...new Set([...plain, ...longEnough(encoded.flatMap(encodingsOf))])]
}

/** Longer texts are told encoded by nobody; and of a file with many lines the first are enough. */
const longestEncoded = 4_096
const mostEncoded = 64

/** The values of `name=value` and `name: value`, as in a connection string or a file of settings, and those of JSON. */
function partsOf(secret: string): readonly string[] {
  return [...secret.split(/[\s;&|,?]+/), ...secret.split(/\r?\n/)].flatMap(settingOf).concat(leavesOf(secret))
}

function settingOf(pair: string): readonly string[] {
  const line = pair.trim()
  const name = /^["']?[\w.-]+["']?[ \t]*[=:]/.exec(line)?.[0]
  // What stands behind a scheme is an address, and no setting.
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

/** Every text of a secret that is JSON, and the lines of each. */
function leavesOf(secret: string): readonly string[] {
  if (!/^\s*[{[]/.test(secret)) return []
  const leaves: string[] = []
  try {
    JSON.parse(secret, (_, value: unknown) => {
      if (typeof value === 'string') leaves.push(value, ...value.split('\n'))
      return value
    })
  } catch {
    // It only looked like JSON: its lines and pairs are hidden all the same.
  }
  return leaves
}

function encodingsOf(text: string): readonly string[] {
  return [...inAddress(text), JSON.stringify(text).slice(1, -1), ...inBase64(text)]
}

/** Percent-encoded as browsers do, as forms do, and with small letters. */
function inAddress(text: string): readonly string[] {
  if (!text.isWellFormed()) return []
  const encoded = encodeURIComponent(text)
  const small = encoded.replaceAll(/%[0-9A-F]{2}/g, code => code.toLowerCase())
  return [encoded, small, encoded.replaceAll('%20', '+')]
}

/** In base64 a text looks three ways, by what stands in front of it; only the characters that it alone makes count. */
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
