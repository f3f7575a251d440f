import { readdir, readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Snapshot } from '../../../lib/state/repository/snapshot.ts'
import { snapshotOf } from '../builders/snapshot.ts'

/** Where a manifests repository of fixtures/ stands. */
export function fixtureDirectory(scenario: string): string {
  return fileURLToPath(new URL(`../../../fixtures/${scenario}`, import.meta.url))
}

/** The files of a manifests repository of fixtures/ by their paths. */
export async function fixtureFiles(scenario: string): Promise<Readonly<Record<string, string>>> {
  const root = fixtureDirectory(scenario)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => `${entry.parentPath}${sep}${entry.name}`)
  const files = paths.map(
    async path => [relative(root, path).replaceAll(sep, '/'), await readFile(path, 'utf8')] as const,
  )
  return Object.fromEntries(await Promise.all(files))
}

/** A manifests repository of fixtures/ as a snapshot. */
export async function fixture(scenario: string): Promise<Snapshot> {
  return snapshotOf(await fixtureFiles(scenario))
}
