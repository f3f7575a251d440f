import { expect } from 'chai'
import { endedAmong } from '../../../../lib/fleet/spread/ended.ts'
import type { JudgedRun, RunFact } from '../../../../lib/state/fleet/run.ts'

const failed = (site: string, step?: string): RunFact => ({
  ...{ kind: 'failed', atMs: 100, site, reason: 'exited with code 1' },
  ...(step === undefined ? {} : { step }),
})
const said = (word: 'abort' | 'resume' | 'pause'): RunFact => ({ kind: 'word', atMs: 200, word, who: 'ann' })

const rows: readonly {
  readonly title: string
  readonly runs: readonly (readonly [version: string, ...facts: readonly RunFact[]])[]
  /** `VERSION REASON` */
  readonly ended: readonly string[]
}[] = [
  { title: 'none without a failure or a word', runs: [['1'], ['2']], ended: [] },
  { title: 'one that failed', runs: [['1'], ['2', failed('a')]], ended: ['2 failed on a'] },
  { title: 'one that was aborted', runs: [['2', said('abort')]], ended: ['2 was aborted by ann'] },
  { title: 'none that was only paused', runs: [['2', said('pause')]], ended: [] },
  { title: 'none that was resumed', runs: [['2', failed('a'), said('resume')]], ended: [] },
  {
    title: 'one that failed again after the word that went on',
    runs: [['2', failed('a'), said('resume'), failed('b')]],
    ended: ['2 failed on b'],
  },
  {
    title: 'one that failed on the way to another, and that other one',
    runs: [['2'], ['3', failed('a', '2')]],
    ended: ['3 failed on a', '2 failed on a'],
  },
  {
    title: 'one that failed on the way and never had a run of its own',
    runs: [['3', failed('a', '2')]],
    ended: ['3 failed on a', '2 failed on a'],
  },
  {
    title: 'none that failed on the way and has begun anew since',
    runs: [
      ['3', failed('a', '2')],
      ['2', failed('c'), said('resume')],
    ],
    ended: ['3 failed on a'],
  },
  {
    title: 'none on whose way somebody went on',
    runs: [['2'], ['3', failed('a', '2'), said('resume')]],
    ended: [],
  },
  {
    title: 'no version on the way of one that a person aborted',
    runs: [['2'], ['3', said('abort')]],
    ended: ['3 was aborted by ann'],
  },
]

describe('the versions that reach no further site of their deployment', () => {
  for (const { title, runs, ended } of rows)
    it(`A33 A65 ${title}`, () => {
      const judged = runs.map(
        ([version, ...facts], index): JudgedRun => ({ of: { id: index + 1, version }, facts }),
      )
      const found = [...endedAmong(judged)].map(([version, { reason }]) => `${version} ${reason}`)
      expect(found).to.deep.equal(ended)
    })
})
