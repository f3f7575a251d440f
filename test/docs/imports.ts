import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readText } from './documents.ts'

/** What everybody may import; left out of the table. */
const leaves = [
  'errors',
  'limits',
  'mask',
  'nearest',
  'no-room',
  'node-http',
  'printable',
  'redact',
  'timer',
  'without-end',
]

/** Who imports whom in lib, folders and the files beside them, as a table of Markdown. */
export function importTable(): string {
  const imports = new Map<string, Set<string>>()
  for (const path of globSync('lib/**/*.ts', { cwd: join(import.meta.dirname, '../..') })) {
    const from = placeOf(path)
    const names = imports.get(from) ?? new Set()
    for (const [, target = ''] of readText(path).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const to = placeOf(join(dirname(path), target))
      if (to !== from && !leaves.includes(to)) names.add(`\`${to}\``)
    }
    imports.set(from, names)
  }
  const rows = [...imports]
    .filter(([from]) => !leaves.includes(from))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, to]) => `| \`${from}\` | ${[...to].toSorted().join(', ') || 'nothing'} |`)
  return ['| place | imports |', '|---|---|', ...rows].join('\n')
}

/** `lib/plan/diff.ts` is in `plan`, `lib/config.ts` is `config`. */
function placeOf(path: string): string {
  return path.split('/')[1]?.replace(/\.ts$/, '') ?? ''
}
