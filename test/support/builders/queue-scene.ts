import { Failure } from '../../../lib/errors.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import { round } from '../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../lib/reconcile/site/pass-request.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { Windows } from '../../../lib/state/fleet/window.ts'
import { commitHistory, web } from '../git/commit-history.ts'
import { type MemoryEngine, memoryEngine } from '../memory/memory-engine.ts'
import { waitUntil } from '../time/wait-until.ts'
import type { Files } from './snapshot.ts'

const freshness = { maxAgeMs: 0, lastGood: true }
const day = 24 * 60 * 60 * 1000

/** Fridays from midnight to one o'clock. The clock of a scene begins on a Thursday. */
const windows: Windows = {
  provider: [{ days: ['Friday'], startMinutes: 0, zone: 'UTC', durationMs: 60 * 60 * 1000 }],
  owner: [],
}

/** `web` in a version that one gets to from others that a pattern matches; from all if there is none. */
export function version(name: string, tag: string, from?: string, mode?: string): Files {
  const files = web(name, tag, mode)
  if (from === undefined) return files
  const paths = `upgrade-from:\n  - version-regexp: '${from}'\n    method: stop-and-restart\n`
  return { ...files, 'applications/web.yaml': `${String(files['applications/web.yaml'])}${paths}` }
}

/** `web` in a version with two services, `web` and then `api`, both of this tag unless `ofApi` says otherwise. */
export function pair(name: string, tag: string, from?: string, ofApi = tag): Files {
  const files = version(name, tag, from)
  const text = String(files['applications/web.yaml'])
  const api = `  - name: api
    containers:
      - name: api
        image: registry.example.com/api:${ofApi}
upgrade-from:`
  return {
    ...files,
    'applications/web.yaml':
      from === undefined
        ? `${text}${api.replace('\nupgrade-from:', '\n')}`
        : text.replace('upgrade-from:', api),
  }
}

/** The versions of the vendor's example: 3.0.1 may only follow 3.0. */
export const steppingStones = {
  1: version('2.0.4', '1'),
  2: version('3.0', '2'),
  3: version('3.0.1', '3', '^3\\.0$'),
}

/** A site with a window that is closed at first, on which the first of these commits runs. */
export async function queueScene(history: Readonly<Record<string, Files>>) {
  const engine: MemoryEngine = memoryEngine()
  const { execute } = engine
  const happened: {
    readonly what: 'create-container' | 'await-healthy'
    readonly service: string
    readonly tag: string
  }[] = []
  let broken: RegExp | undefined
  let ending = new AbortController()
  Object.assign(engine, {
    async execute(...asked: Parameters<typeof execute>) {
      const step = describeStep(asked[0])
      if (broken?.test(step)) {
        broken = undefined
        throw new Failure('exited-early', 'local: exited with code 1')
      }
      if (ending.signal.aborted) throw new Failure('interrupted', 'the process ends')
      const done = await execute(...asked)
      const [what = '', name = ''] = step.split(' ')
      const image = engine.has().containers.get(name)?.image ?? ''
      if (what === 'create-container' || what === 'await-healthy')
        happened.push({ what, service: name.split('.')[1] ?? '', tag: tagOf(image) })
      return done
    },
  })
  const scene = commitHistory(history, { sites: [{ name: 'local', windows, labels: {} }] }, engine)
  const { world } = scene
  let nowMs = 0
  Object.assign(world, { nowMs: () => nowMs })
  const pass = (more: Partial<RoundRequest> = {}): Promise<PassResult> =>
    round(world, { trigger: 'poll', until: 'apply', freshness, keepsWaiting: true, ...more }, ending.signal)
  const approved = { answer: { who: 'ann', via: 'flag' } } as const
  /** Looks at a commit, and makes a pass. */
  const at = (digit: string, more: Partial<RoundRequest> = approved) => {
    nowMs += 1000
    scene.newest(digit)
    return pass(more)
  }
  const [first = '1'] = Object.keys(history)
  await at(first)
  await pass()
  return {
    ...scene,
    engine,
    pass,
    at,
    approved,
    /** Has the next one of these steps fail. */
    breaks(steps: RegExp) {
      broken = steps
    },
    /** Makes a pass whose process ends before these steps, at the earliest after others that take place beside them. */
    async passUntil(steps: RegExp, beside?: RegExp) {
      const own = ending
      const before = engine.execute
      Object.assign(engine, {
        async execute(...asked: Parameters<typeof execute>) {
          if (steps.test(describeStep(asked[0]))) {
            if (beside !== undefined)
              await waitUntil(`${beside}`, () => engine.done.some(step => beside.test(step)))
            own.abort()
          }
          return before(...asked)
        },
      })
      const result = await pass()
      Object.assign(engine, { execute: before })
      ending = new AbortController()
      return result
    },
    /** Lets the window open. */
    open() {
      nowMs = Math.floor(nowMs / (7 * day)) * 7 * day + (nowMs % (7 * day) < 2 * day ? day : 8 * day)
    },
    /** Lets it close. */
    close() {
      nowMs += day
    },
    /** What was created, and what was found healthy, of a service since this was asked last, each by its tag. */
    news: (service: string) => happened.splice(0).filter(one => one.service === service),
    /** The tag that runs; empty if none does. */
    runs: () =>
      [...engine.has().containers.values()]
        .filter(({ state }) => state === 'running')
        .map(({ image }) => tagOf(image))
        .join('+'),
  }
}

function tagOf(image: string): string {
  return image.slice(image.lastIndexOf(':') + 1)
}
