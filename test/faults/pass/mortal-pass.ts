import { writeSync } from 'node:fs'
import { loadConfig } from '../../../lib/config.ts'
import { openParts, type Parts, worldOf } from '../../../lib/daemon.ts'
import type { Engine } from '../../../lib/engine.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import type { Log } from '../../../lib/log.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import { round } from '../../../lib/reconcile/round.ts'
import { type Meet, meetings } from './meetings.ts'
import { filesBelow } from './mortal-files.ts'

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
const nothing = () => undefined
const say = (message: string, { reason = '' }: { readonly reason?: unknown } = {}) =>
  writeSync(2, `${message}${reason === '' ? '' : `: ${reason}`}\n`)
/** Without winston, which takes longer to load than a pass. */
const log: Log = { debug: nothing, info: nothing, warn: say, error: say, with: () => log }

/** One pass with the answer given beforehand, in which the process may die. */
export async function mortalPass(configFile: string, retry: boolean): Promise<void> {
  const config = loadConfig({ config: configFile }, {})
  filesBelow(config.stateDir)
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
  const { outcome, errors } = await round(
    worldOf({ ...parts, config }, config.environments[0], log),
    {
      trigger: 'command',
      until: 'apply',
      freshness: { maxAgeMs: 0, lastGood: false },
      answer: { who: 'ada', via: 'flag' },
      retry,
    },
    new AbortController().signal,
  )
  await opened.close()
  for (const { code, message } of errors) writeSync(2, `${code}: ${message}\n`)
  writeSync(1, outcome)
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
