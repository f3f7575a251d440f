import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Test files that one mocha process runs, one after the other. */
export type Batch = { readonly name: string; readonly files: readonly string[] }

/** Suites that need no engine, and run in a process each. */
const inMemory: readonly string[] = ['unit', 'component', 'properties', 'limits']

/** What is run together: the usual is `npm test`, and each other one has a command of its own. */
export const parts = {
  usual: [...inMemory, 'integration', 'e2e', 'faults'],
  swarm: ['swarm'],
} satisfies Readonly<Record<string, readonly string[]>>

export type Part = keyof typeof parts

/**
 * All test files of a part, what takes longest first, so that nothing long is left at the end. Those of one family are
 * together, for they share images that take seconds to make, and engines in one network must not be two Swarms at a
 * time: their tunnels may have the same number. Of the others several, for starting a process takes as long as many a
 * test.
 */
export function allBatches(part: Part): readonly Batch[] {
  const families = Map.groupBy(parts[part].flatMap(filesOf), familyOf)
  const all = [...[...families].flatMap(familyBatch), ...severalOf(families.get(undefined) ?? [])]
  const place = ({ name, files }: Batch) => {
    const known = longest.findIndex(one => one === name || files.includes(one))
    return known === -1 ? longest.length - files.length / 1_000 : known
  }
  return all.toSorted((a, b) => place(a) - place(b))
}

/** A batch, or a file of it, that was seen to take more than a minute or two. Of the others, those of more files come first. */
export const longest: readonly string[] = [
  'swarm/of-three',
  'swarm/of-one',
  'swarm/of-managers',
  'swarm/of-three-sharing',
  'e2e/release',
  'component',
  'e2e/ingress',
  'integration/docker/container',
  'unit',
  'e2e/image',
  'faults/steps.test.ts',
  'faults/pods.test.ts',
  'integration/git',
  'integration/ingress',
  'integration/docker/network',
  'swarm/of-one-apart',
  'faults/jobs.test.ts',
  'faults/calls.test.ts',
  'e2e/daemon',
  'e2e/sites',
  'integration/docker/edge',
  'integration/hints.test.ts',
].map(name => join('test', name))

/** One test file. */
export function batchOf(file: string): Batch {
  return { name: file, files: [file] }
}

function familyBatch([name, files]: readonly [string | undefined, readonly string[]]): readonly Batch[] {
  return name === undefined ? [] : [{ name, files }]
}

/** Of small batches the last ones end at about the same time. */
const mostTogether = 4

function severalOf(files: readonly string[]): readonly Batch[] {
  if (files.length === 0) return []
  const batch = files.slice(0, mostTogether)
  return [{ name: batch.join(' '), files: batch }, ...severalOf(files.slice(mostTogether))]
}

/**
 * `test/unit`, and of other suites each directory: those of `test/swarm` have a Swarm for all of their files, and
 * `test/integration/git/objects` makes its process so large that it takes long to start others, for which its memory is
 * gone through. One whose process is killed is a family of its own. Those beside the directories have none.
 */
function familyOf(file: string): string | undefined {
  const [test = '', suite = '', place = ''] = file.split('/')
  if (inMemory.includes(suite)) return join(test, suite)
  if (suite === 'faults') return file
  return place.endsWith('.test.ts') ? undefined : dirname(file)
}

const root = join(import.meta.dirname, '../../..')

function filesOf(suite: string): readonly string[] {
  return globSync(`test/${suite}/**/*.test.ts`, { cwd: root }).toSorted()
}
