import type { ChangeResult } from '../apply/apply.ts'
import { type Change, keyOf } from '../plan/change.ts'
import { printable } from '../printable.ts'
import type { StepEvent } from '../state/step-event.ts'
import type { Output } from './output.ts'

/** Shows an apply as it goes, on stderr. */
export type Progress = {
  begin(changes: readonly Change[]): void
  event(event: StepEvent): void
  end(results: readonly ChangeResult[]): Promise<void>
}

/** A live list of changes on a terminal, plain lines elsewhere. */
export function createProgress(output: Output): Progress {
  return process.stderr.isTTY === true && !output.json ? liveProgress() : plainProgress(output)
}

function plainProgress(output: Output): Progress {
  return {
    begin: () => undefined,
    event: ({ step, phase, durationMs, stage, error, note }) => {
      const prefix = stage === 'undo' ? 'undo: ' : ''
      if (phase === 'noted') output.note(`${prefix}${step}  ${printable(note ?? '')}`)
      if (phase === 'done') output.note(`${prefix}${step}  done in ${seconds(durationMs)}`)
      if (phase === 'failed') output.note(`${prefix}${step}  failed: ${error?.message ?? ''}`)
    },
    end: async () => undefined,
  }
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
    event({ site, application, service, step, stage }) {
      rows.get(`${site}/${application}/${service}`)?.say(stage === 'undo' ? `undo: ${step}` : step)
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
    return { change, promise, row }
  })
  const { Listr, ListrLogger, ProcessOutput } = await import('listr2')
  const logger = new ListrLogger({ processOutput: new ProcessOutput(process.stderr, process.stderr) })
  const list = new Listr(
    pending.map(({ change, promise, row }) => ({
      title: `${change.action} ${change.service}`,
      task: async (_: unknown, task: { title: string; output: string }) => {
        row.say = text => {
          task.output = text
        }
        const failed = await promise
        if (failed !== undefined) throw new Error(`${change.action} ${change.service}: ${failed}`)
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

function seconds(ms = 0): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
