import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue, type Retry } from '../../lib/errors.ts'
import { documentPaths, readText } from './documents.ts'
import { importTable } from './imports.ts'

/**
 * A document with the parts that have their source elsewhere as that source has them now:
 * - the block of code after `<!-- file PATH -->` is that file,
 * - between `<!-- errors -->` and `<!-- end -->` stands the catalogue of errors,
 * - between `<!-- imports -->` and `<!-- end -->` who imports whom in lib.
 * `node test/docs/fill.ts` writes all documents anew; a test fails when one of them is not up to date.
 */
export function filled(document: string): string {
  return document
    .replaceAll(/(<!-- file (\S+) -->\n\n?)```[\s\S]*?\n```/g, (_, mark, path) => mark + blockOf(path))
    .replace(/(<!-- errors -->\n)[\s\S]*?(<!-- end -->)/, (_, begin, end) => `${begin}\n${errors()}\n${end}`)
    .replace(
      /(<!-- imports -->\n)[\s\S]*?(<!-- end -->)/,
      (_, begin, end) => `${begin}\n${importTable()}\n\n${end}`,
    )
}

function blockOf(path: string): string {
  const language = /\.(json|yaml)$/.exec(path)?.[1] ?? 'text'
  return `\`\`\`${language}\n${readText(path).trimEnd()}\n\`\`\``
}

function errors(): string {
  return Object.entries(catalogue)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, entry]) =>
        `## ${code}\n\n${entry.meaning}\n\n- Next: ${next[entry.retry]}\n- Hint: ${entry.hint}\n`,
    )
    .join('\n')
}

const next: Readonly<Record<Retry, string>> = {
  backoff: 'it is tried again by itself (`backoff`).',
  never: 'it waits for a change (`never`).',
}

if (import.meta.main)
  for (const path of documentPaths())
    writeFileSync(join(import.meta.dirname, '../..', path), filled(readText(path)))
