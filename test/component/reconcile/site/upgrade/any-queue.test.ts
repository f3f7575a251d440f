import { expect } from 'chai'
import fc from 'fast-check'
import { resume } from '../../../../../lib/answers/resume.ts'
import { rollback } from '../../../../../lib/answers/rollback.ts'
import { sayOfLastEntry } from '../../../../../lib/answers/version/queue-word.ts'
import type { QueueWord } from '../../../../../lib/state/fleet/queue.ts'
import { pair, queueScene } from '../../../../support/builders/queue-scene.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { ann, memoryAudience, memorySubject } from '../../../../support/memory/memory-audience.ts'

/** A commit: a version, and from which one may get there; absent: from any. */
type Release = {
  readonly name: string
  readonly from?: readonly string[] | undefined
  /** Whether a second service is in each commit as in the first one. */
  readonly isPart?: boolean
}

const names = ['1', '2', '3', '4', '5'] as const
const release: fc.Arbitrary<Release> = fc.record({
  name: fc.constantFrom(...names),
  from: fc.option(fc.subarray([...names], { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
  isPart: fc.boolean(),
})

const happening = fc.oneof(
  { weight: 6, arbitrary: fc.constant('commit' as const) },
  { weight: 2, arbitrary: fc.constant('open' as const) },
  { weight: 2, arbitrary: fc.constant('close' as const) },
  { weight: 3, arbitrary: fc.constant('pass' as const) },
  { weight: 1, arbitrary: fc.constant('fails' as const) },
  { weight: 1, arbitrary: fc.constant('crash' as const) },
  { weight: 1, arbitrary: fc.constant('crash before the start' as const) },
  { weight: 1, arbitrary: fc.constant('resume' as const) },
  { weight: 2, arbitrary: fc.record({ backTo: fc.constantFrom(...names) }) },
  {
    weight: 1,
    arbitrary: fc.record({ say: fc.constantFrom('forced', 'deleted'), version: fc.constantFrom(...names) }),
  },
)

type Happening = typeof happening extends fc.Arbitrary<infer One> ? One : never

const digits = '123456789abcde'
/** The commit of a version that one gets to from any. */
const last = 'f'

function filesOf({ name, from, isPart = false }: Release, digit: string): Files {
  return pair(name, digit, from === undefined ? undefined : `^(${from.join('|')})$`, isPart ? '1' : digit)
}

const mayFollow = (before: string, { name, from }: Release) =>
  before === name || from === undefined || from.includes(before)

/** Whether a way leads to the last of these, by way of others that nobody went back from. */
function leads(before: string, entered: readonly Release[]): boolean {
  const after = entered.slice(entered.findLastIndex(({ name }) => name === before) + 1)
  const isTakenBack = (one: Release) => {
    const at = entered.indexOf(one)
    const earlier = entered.slice(0, at).map(({ name }) => name)
    return entered.slice(at + 1).some(({ name }) => name !== one.name && earlier.includes(name))
  }
  const goal = after.at(-1)
  const from = (now: string, left: readonly Release[]): boolean =>
    left.some(
      (one, index) =>
        mayFollow(now, one) && (one === goal || (!isTakenBack(one) && from(one.name, left.slice(index + 1)))),
    )
  return goal === undefined || from(before, after)
}

/** The versions as they entered: one that comes twice in a row once, each as it is in the last commit that has it. */
function enteredOf(commits: readonly Release[]): readonly Release[] {
  const last = new Map(commits.map(one => [one.name, one]))
  return commits
    .filter(({ name }, at) => commits[at - 1]?.name !== name)
    .map(({ name }) => ({ ...(last.get(name) ?? { name }) }))
}

describe('any queue of a site', () => {
  it('A12 A42 A60 A65 A66 never leaves the upgrade paths, upgrades only while the window is open or somebody forces it, and gets to the wanted version if a way leads there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(release, { minLength: 2, maxLength: digits.length }),
        fc.array(happening, { maxLength: 30 }),
        async (commits, happenings) => {
          const all = commits.map((one, index) => [digits[index] ?? '', one] as const)
          const byDigit = new Map<string, Release>([...all, [last, { name: '9' }]])
          const scene = await queueScene(
            Object.fromEntries([...byDigit].map(([digit, one]) => [digit, filesOf(one, digit)])),
          )
          const { journal, nowMs } = scene.world
          const audience = { ...memoryAudience(memorySubject()), journal, nowMs }
          const web = { application: 'web' }
          let [at, isOpen, before] = [0, false, commits[0]?.name ?? '']
          /** What somebody allowed outside of the window, what has begun and what runs in part, before the last happening. */
          let excused = { isForced: false, known: new Set<string>() }
          const say = (word: QueueWord['word'], version: string) =>
            sayOfLastEntry(journal, {
              ...{ environment: 'prod', site: 'local', application: 'web', version },
              ...{ word, who: 'ann', atMs: 0 },
            })
          const excuse = () => {
            const begun = journal.openAttempts('prod').flatMap(({ of }) => of?.version ?? [])
            const isForced = journal.queueWords('prod', 'local').some(({ word }) => word === 'forced')
            const inPart = [...journal.applied('prod').values()].flatMap(({ version }) => version ?? [])
            excused = { isForced, known: new Set([...begun, ...inPart]) }
          }
          const look = () => {
            for (const { what, tag } of scene.news('web')) {
              const now = byDigit.get(tag)
              if (now === undefined || now.name === before) continue
              expect(mayFollow(before, now), `${before} to ${now.name}`).to.equal(true)
              // What was begun while it was open is completed after that. If one service failed and the other did not,
              // none of the two versions is another one.
              const isAllowed = isOpen || excused.isForced || excused.known.has(now.name)
              if (what === 'create-container') expect(isAllowed, `an upgrade to ${now.name}`).to.equal(true)
              else before = now.name
            }
          }
          const happen = async (one: Happening) => {
            excuse()
            if (typeof one === 'object' && 'say' in one) return say(one.say, one.version)
            // What is not kept any more, or what no path leads back to, is refused.
            if (typeof one === 'object')
              return void (await rollback(audience, ann, { ...web, to: one.backTo }).catch(() => undefined))
            switch (one) {
              case 'resume':
                return void (await resume(audience, ann, web))
              case 'commit':
                if (at + 1 < commits.length) at += 1
                return void (await scene.at(digits[at] ?? ''))
              case 'open':
                if (!isOpen) scene.open()
                isOpen = true
                return
              case 'close':
                if (isOpen) scene.close()
                isOpen = false
                return
              case 'pass':
                return void (await scene.pass())
              case 'fails':
                return scene.breaks(/^await-healthy/)
              case 'crash':
                return void (await scene.passUntil(/^await-healthy/))
              case 'crash before the start':
                return void (await scene.passUntil(/^start-container/))
            }
          }
          for (const one of happenings) {
            await happen(one)
            look()
          }
          scene.breaks(/^no step/)
          await happen('resume')
          journal.releaseQuarantined('prod')
          for (const { word, version } of journal.queueWords('prod', 'local'))
            if (word === 'deleted') say('forced', version)
          await happen('open')
          for (let pass = 0; pass < 8; pass += 1) {
            excuse()
            await scene.pass(scene.approved)
            look()
          }
          const versions = new Set([...journal.applied('prod').values()].map(({ version }) => version))
          // One service has failed and the other has not, so that a path would have to lead from both versions.
          if (versions.size === 1 || !happenings.includes('fails')) {
            const entered = enteredOf(commits.slice(0, at + 1))
            const { sync } = await scene.pass()
            expect(sync === 'Synced', `${before} of ${JSON.stringify(entered)}`).to.equal(
              before === entered.at(-1)?.name || leads(before, entered),
            )
          }
          await scene.at(last)
          expect((await scene.pass()).sync, 'a version that may follow any').to.equal('Synced')
        },
      ),
      { numRuns: 100 },
    )
  })
})
