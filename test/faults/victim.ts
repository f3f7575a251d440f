import { writeSync } from 'node:fs'
import promises from 'node:fs/promises'
import { flushCompileCache, syncBuiltinESMExports } from 'node:module'
import { loadConfig } from '../../lib/config.ts'
import { openParts, type Parts, worldOf } from '../../lib/daemon.ts'
import type { Engine } from '../../lib/engine.ts'
import type { Journal } from '../../lib/journal/journal.ts'
import type { Log } from '../../lib/log.ts'
import { describeStep } from '../../lib/plan/step/describe.ts'
import { round } from '../../lib/reconcile/round.ts'
import type { Point } from './point.ts'

/**
 * A process that dies: runs one pass with the answer given beforehand, and kills itself with SIGKILL right before or
 * right after one engine call, one write to the journal or one call on the files of the git store. The last thing it
 * says on stdout is what that was. `node victim.ts CONFIG [POINT [retry]]`, the point as JSON; without one it lives until somebody kills it.
 */
const [configFile = '', text = 'null', retry] = process.argv.slice(2)
const point: Point | null = JSON.parse(text)
/** Everything a pass writes but the events of its steps, which are next to the steps themselves. */
const writes = [
  'beginPass',
  'setLastGood',
  'setPlan',
  'approve',
  'setWaiting',
  'clearWaiting',
  'rememberInstance',
  'forgetApplied',
  'beginAttempt',
  'attemptFailed',
  'endAttempt',
  'leaveQuarantine',
  'setEnvironment',
  'keepState',
  'endPass',
  'recordPass',
] as const
const verdicts = ['barVersion', 'quarantine', 'setApplied', 'setDeployed'] as const
type Write = (typeof writes)[number] | (typeof verdicts)[number]
const config = loadConfig({ config: configFile }, {})
mortalFiles(config.stateDir)
const opened = openParts(config)
const parts: Parts = {
  ...opened,
  engines: opened.engines.map(mortalEngine(meetings('step'))),
  journal: mortalJournal(
    mortalJournal(opened.journal, verdicts, meetings('verdict')),
    [...writes, ...verdicts],
    meetings('write'),
  ),
}
const nothing = () => undefined
const say = (message: string, { reason = '' }: { readonly reason?: unknown } = {}) =>
  writeSync(2, `${message}${reason === '' ? '' : `: ${reason}`}\n`)
/** Without winston, which takes longer to load than a pass. */
const log: Log = { debug: nothing, info: nothing, warn: say, error: say, with: () => log }
const { outcome } = await round(
  worldOf({ ...parts, config }, config.environments[0], log),
  {
    trigger: 'command',
    until: 'apply',
    freshness: { maxAgeMs: 0, lastGood: false },
    answer: { who: 'ada', via: 'flag' },
    retry: retry !== undefined,
  },
  new AbortController().signal,
)
await opened.close()
writeSync(1, outcome)

/** Called with the name of each call; what it returns is to be called before and after it. */
type Meet = (what: string) => (when: Point['when']) => void

function meetings(kind: Point['kind']): Meet {
  let count = 0
  return what => {
    const fatal = point?.kind === kind && count === point.index
    count += 1
    return when => {
      if (!fatal || point?.when !== when) return
      writeSync(1, what)
      // Node would do it at its end, and the next victim starts faster.
      flushCompileCache()
      process.kill(process.pid, 'SIGKILL')
    }
  }
}

function mortalEngine(meet: Meet): (engine: Engine) => Engine {
  const mortal = (engine: Engine): Engine => ({
    ...engine,
    redacting: redact => mortal(engine.redacting(redact)),
    guarded: certainly => mortal(engine.guarded(certainly)),
    async execute(step, provenance, signal, note) {
      const die = meet(describeStep(step))
      die('before')
      try {
        return await engine.execute(step, provenance, signal, note)
      } finally {
        die('after')
      }
    },
  })
  return mortal
}

function mortalJournal(journal: Journal, names: readonly Write[], meet: Meet): Journal {
  const mortal = names.map(name => {
    const call = (...given: unknown[]) => {
      const die = meet(name)
      die('before')
      try {
        return Reflect.apply(journal[name], journal, given)
      } finally {
        die('after')
      }
    }
    return [name, call] as const
  })
  return { ...journal, ...Object.fromEntries(mortal) }
}

/** Calls that change files below the state directory, as every module sees them. */
function mortalFiles(directory: string): void {
  const meet = meetings('file')
  const names = ['mkdir', 'open', 'writeFile', 'rename', 'rm'] as const
  const mortal = names.map(name => {
    const original: (...given: never[]) => Promise<unknown> = promises[name]
    const call = async (...given: unknown[]) => {
      const mine = String(given[0]).startsWith(directory)
      const die = mine ? meet(`${name} ${String(given[0]).slice(directory.length)}`) : () => undefined
      die('before')
      try {
        return await Reflect.apply(original, promises, given)
      } finally {
        die('after')
      }
    }
    return [name, call] as const
  })
  Object.assign(promises, Object.fromEntries(mortal))
  syncBuiltinESMExports()
}
