import { globSync } from 'node:fs'
import { join } from 'node:path'

/** Test files that one mocha process runs, one after the other. */
export type Batch = { readonly name: string; readonly files: readonly string[] }

/** `busy`: each of them keeps all processors at work, so that no two of them gain by running side by side. */
export type Batches = { readonly busy: readonly Batch[]; readonly rest: readonly Batch[] }

/** All test files: those of one family together, for they share images that take seconds to make; the largest first. */
export function allBatches(): Batches {
  const families = Map.groupBy(['unit', 'e2e', 'integration'].flatMap(filesOf), familyOf)
  const batches = [...families].map(([name, files]) => ({ name, files }))
  return {
    busy: filesOf('faults').map(batchOf),
    rest: batches.toSorted((a, b) => b.files.length - a.files.length),
  }
}

/** One test file. */
export function batchOf(file: string): Batch {
  return { name: file, files: [file] }
}

/** `test/unit`, `test/integration/git`; and `test/e2e/ingress-gap.test.ts` is of `test/e2e/ingress`. */
function familyOf(file: string): string {
  const [test = '', suite = '', place = ''] = file.split('/')
  if (suite === 'unit') return join(test, suite)
  const isIngress = place.startsWith('ingress')
  return suite === 'e2e' && !isIngress ? file : join(test, suite, isIngress ? 'ingress' : place)
}

const root = join(import.meta.dirname, '../..')

function filesOf(suite: string): readonly string[] {
  return globSync(`test/${suite}/**/*.test.ts`, { cwd: root }).toSorted()
}
