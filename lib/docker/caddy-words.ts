import { excerpt } from './excerpt.ts'

/**
 * Why Caddy does not take a configuration, out of what `caddy reload` writes: its last line, or the error that the line
 * quotes. Without the lines of the keys and certificates in the configuration (G16).
 */
export function wordsOfCaddy(output: string, configuration: string): string {
  const lines = configuration.match(/(?<=\\n)[\w+/=]{8,}(?=\\n)/g) ?? []
  const hidden = lines.map(line => `=${line}`)
  const line = excerpt(output, hidden, { lines: 1, characters: 1_000 })
  return line.replace(/^.*\{"error":"(.*)"\}$/, '$1').slice(0, 500)
}
