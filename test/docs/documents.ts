import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Every document of the repository, by its path from the root. */
export function documentPaths(): readonly string[] {
  return globSync(['*.md', 'docs/**/*.md'], { cwd: root }).toSorted()
}

/** A file of the repository as text. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Whether the repository has a file or directory at a path from its root. */
export function isThere(path: string): boolean {
  return existsSync(join(root, path))
}

/** The table that follows `<!-- NAME -->`: its cells, row by row, without head and rule. */
export function tableAfter(document: string, name: string): readonly (readonly string[])[] {
  const [, after] = document.split(`<!-- ${name} -->\n`)
  if (after === undefined) throw new Error(`there is no <!-- ${name} -->`)
  const table = /^\s*((?:\|.*\n)+)/.exec(after)?.[1]
  if (table === undefined) throw new Error(`no table follows <!-- ${name} -->`)
  const rows = table.trimEnd().split('\n').slice(2)
  return rows.map(row =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

/** What stands in code spelling at the beginning of each row: `key`. */
export function firstWords(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.map(([cell = '']) => /^`([^`]+)`/.exec(cell)?.[1] ?? cell)
}
