/** How much of what is said is kept: the last of it. */
export type Bounds = { readonly lines: number; readonly characters: number }

const short: Bounds = { lines: 5, characters: 500 }
/** Shorter values are words such as `prod` or `8080`. */
const shortestSecret = 6

/**
 * The end of what a container says: at most five lines and 500 characters unless told, on one line, without control
 * characters and without the values of its environment (G16).
 */
export function excerpt(text: string, env: readonly string[], { lines, characters }: Bounds = short): string {
  return saidLines(text, env).slice(-lines).join(' | ').slice(-characters)
}

/** What a container says, line by line, without empty lines, control characters and the values of its environment. */
export function saidLines(text: string, env: readonly string[]): readonly string[] {
  const secrets = env
    .map(pair => pair.slice(pair.indexOf('=') + 1))
    .filter(value => value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[REDACTED]'), text)
  return hidden
    .replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
    .split(/[\r\n]+/)
    .map(line => line.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, ' ').trim())
    .filter(line => line !== '')
}
