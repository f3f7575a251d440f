import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A hint that stands in the code beside the catalogue, and what it may read like. */
export type Written = { readonly place: string; readonly text: string; readonly pattern: RegExp }

const root = join(import.meta.dirname, '../..')

/** Every hint that is given where something fails: what stands behind a name that is or ends in `hint`. */
export function writtenHints(): readonly Written[] {
  const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
  return files
    .filter(file => /(?<!\.gen)\.ts$/.test(file) && file !== 'errors/catalogue.ts')
    .flatMap(file => {
      const code = readFileSync(join(root, 'lib', file), 'utf8')
      const given = [...code.matchAll(/\bhint:\s(.*?)(?:,\n|\n *\}| \}[,)\n])/gs)]
      const named = [...code.matchAll(/\b\w*[hH]int =\s+(.*)/g)]
      return [...given, ...named]
        .flatMap(([, words = '']) => [...words.matchAll(/'((?:[^'\\]|\\.){12,})'|`((?:[^`\\]|\\.){12,})`/g)])
        .map(([, plain, template]) => (plain ?? template ?? '').replaceAll("\\'", "'"))
        .map(text => ({ place: `lib/${file}`, text, pattern: patternOf(text) }))
    })
}

/** Whether a test of this title stands in a file. */
export function hasTest(file: string, title: string): boolean {
  const code = readFileSync(join(root, file), 'utf8')
  return [title, title.replaceAll("'", "\\'")].some(written => code.includes(written))
}

/** What is filled in when it is told may be anything. */
function patternOf(text: string): RegExp {
  const literal = text.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
  return new RegExp(
    `^${literal.map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`,
    's',
  )
}
