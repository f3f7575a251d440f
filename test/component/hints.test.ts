import { expect } from 'chai'
import { catalogue, type ErrorCode, hintOf } from '../../lib/errors/catalogue.ts'
import type { FollowedHint } from '../hints/followed.ts'
import { quick, table } from '../hints/table.ts'
import { hasTest, writtenHints } from '../hints/written.ts'

const codes = Object.keys(catalogue) as readonly ErrorCode[]
const written = writtenHints()

/** Said of a hint that nobody follows. */
const addRow = (what: string) =>
  `${what} is followed by no test: add a row to a file of test/hints (manifests, secrets, configuration, sites, held-back, engines, words, places, git, registries, servers), or say in the hint that nothing is to be done and add it to nothingToDo of test/hints/elsewhere.ts`

describe('the table of hints', () => {
  for (const code of codes)
    for (const hint of new Set([hintOf(code, true), hintOf(code, false)]))
      it(`G13 has a row for ${code}: ${hint.slice(0, 40)}`, () => {
        const rows = table.filter(row => row.code === code && row.hint === hint)
        expect(rows.length, addRow(`${code} ("${hint}")`)).to.be.greaterThan(0)
      })

  for (const { place, text, pattern } of written)
    it(`G13 has a row for what ${place} says: ${text.slice(0, 40)}`, () => {
      expect(
        table.some(({ hint }) => pattern.test(hint)),
        addRow(`"${text}" of ${place}`),
      ).to.equal(true)
    })

  for (const row of table)
    it(`G13 knows where each word of it is followed: ${row.code}, ${row.hint.slice(0, 40)}`, () => {
      const { hint } = row
      const isTold =
        codes.some(known => [hintOf(known, true), hintOf(known, false)].includes(hint)) ||
        written.some(({ pattern }) => pattern.test(hint))
      expect(isTold, `"${hint}" is no hint any more`).to.equal(true)
      expect(wordsLeft(row), `of "${hint}" no row follows`).to.equal('')
      for (const clause of row.clauses)
        if ('file' in clause) expect(hasTest(clause.file, clause.title), clause.title).to.equal(true)
    })
})

describe('hints', () => {
  for (const { code, clauses } of quick)
    for (const clause of clauses)
      if ('follow' in clause)
        it(`G13 help when they are followed to the letter: ${code}, ${clause.words}`, clause.follow)
})

/** What of a hint is accounted for by no clause, but for what joins them. */
function wordsLeft({ hint, clauses, says }: FollowedHint): string {
  const known = [...clauses.map(({ words }) => words), ...says]
  const rest = known.reduce((left, words) => left.replace(words, ''), hint)
  return rest.replaceAll(/\b(or|and|then|in)\b|[\s,;:.]/gi, '')
}
