import { expect } from 'chai'
import fc from 'fast-check'
import { resume } from '../../../lib/answers/resume.ts'
import { rollback } from '../../../lib/answers/rollback.ts'
import { Failure } from '../../../lib/errors.ts'
import {
  ann,
  keepVersions,
  lookAgain,
  memoryAudience,
  memorySubject,
  saidMs,
} from '../../support/memory/memory-audience.ts'

/**
 * A commit of a version, or of a new one; a commit that cannot be used; a rollback at once, to a version or to the one
 * before; or a resume.
 */
type Word =
  | { readonly word: 'commit' | 'rollback'; readonly version?: string }
  | { readonly word: 'resume' | 'mistake'; readonly version?: never }

const version = fc.constantFrom('1', '2', '3', '4', '5', '6')
const word: fc.Arbitrary<Word> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Word>({ word: 'commit' }, { word: 'resume' }, { word: 'mistake' }),
  },
  { weight: 3, arbitrary: fc.constant<Word>({ word: 'rollback' }) },
  { weight: 1, arbitrary: fc.record({ word: fc.constantFrom('commit' as const, 'rollback'), version }) },
)

/** An application `web` with two versions, of which people say these words. */
async function scene(words: readonly Word[] = []) {
  let nowMs = saidMs
  const audience = { ...memoryAudience(memorySubject()), nowMs: () => nowMs }
  const { journal } = audience
  /** What somebody went back from, and was not wanted again since. */
  const bad = new Set<string>()
  const entered: string[] = []
  const held = () => journal.heldVersions('prod')[0]?.version
  let isUsable = true
  /** Whoever makes passes looks at the repository after each word. */
  const look = () => {
    if (!isUsable) return
    lookAgain(audience)
    if (held() === undefined) bad.delete(entered.at(-1) ?? '')
  }
  const commit = (version: string) => {
    if (entered.at(-1) === version) return
    entered.push(version)
    bad.delete(version)
    keepVersions(audience, version)
  }
  /** Returns the version that it went back to; undefined if it was refused. */
  const goBack = async (to: string | undefined) => {
    nowMs += 1
    const from = held() ?? entered.at(-1) ?? ''
    try {
      const { version } = await rollback(audience, ann, { application: 'web', ...(to && { to }) })
      if (entered.lastIndexOf(version) < entered.lastIndexOf(from)) bad.add(from)
      return version
    } catch (error) {
      if (error instanceof Failure && error.code === 'version-missing') return undefined
      throw error
    }
  }
  const say = async ({ word, version }: Word) => {
    const to = word === 'rollback' ? await goBack(version) : undefined
    if (word === 'commit') commit(version ?? String(new Set(entered).size + 1))
    if (word === 'resume') await resume(audience, ann, { application: 'web' })
    if (word === 'commit' || word === 'mistake') isUsable = word === 'commit'
    look()
    return to
  }
  for (const first of ['1', '2']) commit(first)
  for (const one of words) await say(one)
  return {
    ...{ entered, held, bad, say, isUsable: () => isUsable },
    left: () =>
      journal.versionEntries('prod', 'web').map(one => `${one.version}${one.isLeft ? ' left' : ''}`),
    versions: () => journal.versionEntries('prod', 'web').map(one => one.version),
  }
}

describe('words about versions, in whatever order people say them', () => {
  it('A6 A12 never lead back to what somebody went back from, unless it was wanted again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 14 }), async words => {
        const now = await scene()
        for (const one of words) {
          const before = [...now.bad, now.held() ?? now.entered.at(-1)]
          const to = await now.say(one)
          if (one.version === undefined) expect(before, now.left().join()).not.to.include(to)
          expect(now.versions(), 'only commits bring versions').to.deep.equal(now.entered)
          if (now.held() === undefined && now.isUsable())
            expect(now.left().at(-1), 'what is wanted is not left').to.equal(now.entered.at(-1))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('A6 A12 leave all as it was if somebody goes back and resumes, before anybody commits anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 10 }), version, async (words, to) => {
        const now = await scene([...words, { word: 'commit' }, { word: 'resume' }])
        const before = now.left()
        await now.say({ word: 'rollback', version: to })
        await now.say({ word: 'resume' })
        expect(now.left()).to.deep.equal(before)
      }),
      { numRuns: 100 },
    )
  })
})
