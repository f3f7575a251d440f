import { expect } from 'chai'
import fc from 'fast-check'
import { queueScene, version } from '../../../support/queue-scene.ts'
import type { Files } from '../../../support/snapshot.ts'

/** A commit: a version, and from which one may get there; absent: from any. */
type Release = { readonly name: string; readonly from?: readonly string[] | undefined }

const names = ['1', '2', '3', '4', '5'] as const
const release: fc.Arbitrary<Release> = fc.record({
  name: fc.constantFrom(...names),
  from: fc.option(fc.subarray([...names], { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
})

const happening = fc.oneof(
  { weight: 6, arbitrary: fc.constant('commit' as const) },
  { weight: 2, arbitrary: fc.constant('open' as const) },
  { weight: 2, arbitrary: fc.constant('close' as const) },
  { weight: 3, arbitrary: fc.constant('pass' as const) },
  { weight: 1, arbitrary: fc.constant('fails' as const) },
  { weight: 1, arbitrary: fc.constant('crash' as const) },
  { weight: 1, arbitrary: fc.constant('crash before the start' as const) },
)

const digits = '123456789abcdef'

function filesOf({ name, from }: Release, digit: string): Files {
  return version(name, digit, from === undefined ? undefined : `^(${from.join('|')})$`)
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
  it('A42 A60 A65 never leaves the upgrade paths, upgrades only while the window is open, and gets to the wanted version if a way leads there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(release, { minLength: 2, maxLength: digits.length }),
        fc.array(happening, { maxLength: 30 }),
        async (commits, happenings) => {
          const byDigit = new Map(commits.map((one, index) => [digits[index] ?? '', one]))
          const scene = await queueScene(
            Object.fromEntries([...byDigit].map(([digit, one]) => [digit, filesOf(one, digit)])),
          )
          let [at, isOpen, before] = [0, false, commits[0]?.name ?? '']
          const look = () => {
            for (const { what, tag } of scene.news()) {
              const now = byDigit.get(tag)
              if (now === undefined || now.name === before) continue
              expect(mayFollow(before, now), `${before} to ${now.name}`).to.equal(true)
              // What was begun while it was open is completed after that.
              if (what === 'create-container') expect(isOpen, `an upgrade to ${now.name}`).to.equal(true)
              else before = now.name
            }
          }
          const happen = async (one: typeof happening extends fc.Arbitrary<infer One> ? One : never) => {
            switch (one) {
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
          scene.world.journal.release('prod')
          await happen('open')
          for (let pass = 0; pass < 8; pass += 1) {
            await scene.pass(scene.approved)
            look()
          }
          const entered = enteredOf(commits.slice(0, at + 1))
          const { sync } = await scene.pass()
          expect(sync === 'Synced', `${before} of ${JSON.stringify(entered)}`).to.equal(
            before === entered.at(-1)?.name || leads(before, entered),
          )
        },
      ),
      { numRuns: 60 },
    )
  }).timeout(60_000)
})
