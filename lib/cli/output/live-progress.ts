import { type Change, keyOf, titleOf } from '../../plan/change/change.ts'
import type { Output } from './output.ts'
import { printedLine } from './printed.ts'
import { type Progress, plainProgress, stepText } from './progress.ts'

/** Creates a live list of changes on a terminal, and plain lines elsewhere. */
export function createProgress(output: Output): Progress {
  return output.live ? liveProgress() : plainProgress(output)
}

function liveProgress(): Progress {
  const rows = new Map<
    string,
    { settle: (failed: string | undefined) => void; say: (text: string) => void }
  >()
  let shown: Promise<unknown> = Promise.resolve()
  return {
    begin(changes) {
      if (changes.length === 0) return
      shown = showLive(changes, rows)
    },
    event(event) {
      rows.get(keyOf(event))?.say(printedLine(stepText(event), false))
    },
    async end(results) {
      for (const result of results)
        rows.get(keyOf(result.change))?.settle(result.result === 'applied' ? undefined : result.result)
      await shown
    },
  }
}

async function showLive(
  changes: readonly Change[],
  rows: Map<string, { settle: (failed: string | undefined) => void; say: (text: string) => void }>,
): Promise<void> {
  const pending = changes.map(change => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const row = { settle: resolve, say: (_: string) => {} }
    rows.set(keyOf(change), row)
    return { title: printedLine(`${change.action} ${titleOf(change)}`, false), promise, row }
  })
  const { Listr, ListrLogger, ProcessOutput } = await import('listr2')
  const logger = new ListrLogger({ processOutput: new ProcessOutput(process.stderr, process.stderr) })
  const list = new Listr(
    pending.map(({ title, promise, row }) => ({
      title,
      task: async (_: unknown, task: { title: string; output: string }) => {
        row.say = text => {
          task.output = text
        }
        const failed = await promise
        if (failed !== undefined) throw new Error(`${title}: ${failed}`)
      },
    })),
    {
      concurrent: true,
      exitOnError: false,
      registerSignalListeners: false,
      rendererOptions: { collapseErrors: true, logger },
    },
  )
  await list.run()
}
