import type { Redact } from '../redact.ts'
import { excerpt } from './excerpt.ts'
import type { Ran } from './exec.ts'

/**
 * Whether a Caddy is older than 2.11, according to the output of `caddy version`. Without a version it counts as new.
 */
export function isOlder(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./m.exec(version) ?? []
  return major === '2' && Number(minor) < 11
}

/** Whether `caddy reload` reached no Caddy, which may still be starting. */
export function isNotThere({ exitCode, output }: Ran): boolean {
  return exitCode !== 0 && /connect: connection refused/.test(output)
}

/**
 * Returns why Caddy refused a configuration, from the output of `caddy reload`: its last line, or the error that the
 * line quotes. Removes the lines of keys and certificates in the configuration (G16).
 */
export function wordsOfCaddy(output: string, configuration: string, redact: Redact): string {
  const lines = configuration.match(/(?<=\\n)[\w+/=]{8,}(?=\\n)/g) ?? []
  const line = excerpt(output, text => redact(text, lines), { lines: 1, characters: 1_000 })
  const [begin, end] = ['{"error":"', '"}']
  const from = line.lastIndexOf(begin)
  const quoted = from === -1 || !line.endsWith(end) ? line : line.slice(from + begin.length, -end.length)
  return quoted.slice(0, 500)
}
