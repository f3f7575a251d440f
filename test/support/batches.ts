import { globSync } from 'node:fs'
import { join } from 'node:path'

/** Test files that one mocha process runs, one after the other. */
export type Batch = { readonly name: string; readonly files: readonly string[] }

/**
 * All test files, what takes longest first: those of faults and of Swarms, then the largest batches. Those of one family
 * are together, for they share images that take seconds to make, and engines in one network must not be two Swarms at a
 * time: their tunnels may have the same number. Of the others several, for starting a process takes as long as many a test.
 */
export function allBatches(): readonly Batch[] {
  const families = Map.groupBy(['unit', 'integration', 'e2e'].flatMap(filesOf), familyOf)
  const [alone, together] = [families.get(undefined) ?? [], [...families].flatMap(familyBatch)]
  const rest = [...together, ...severalOf(alone)].toSorted((a, b) => b.files.length - a.files.length)
  const isOfSwarms = ({ name }: Batch) => name.startsWith(swarms)
  return [
    ...filesOf('faults').map(batchOf),
    ...rest.filter(isOfSwarms),
    ...rest.filter(one => !isOfSwarms(one)),
  ]
}

const swarms = join('test', 'e2e', 'swarm')

/** Its engines have networks of their own. */
const swarmOfNodes = `${swarms}-nodes.test.ts`

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
 * `test/unit`, `test/integration/git`; `test/e2e/ingress-gap.test.ts` is of `test/e2e/ingress`, and those of Swarms are
 * alike. Others have none.
 */
function familyOf(file: string): string | undefined {
  const [test = '', suite = '', place = ''] = file.split('/')
  if (suite === 'unit') return join(test, suite)
  if (file === swarmOfNodes) return file
  if (file.startsWith(swarms)) return swarms
  if (place.startsWith('ingress')) return join(test, suite, 'ingress')
  return place.endsWith('.test.ts') ? undefined : join(test, suite, place)
}

const root = join(import.meta.dirname, '../..')

function filesOf(suite: string): readonly string[] {
  return globSync(`test/${suite}/**/*.test.ts`, { cwd: root }).toSorted()
}
