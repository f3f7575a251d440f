import { expect } from 'chai'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const refused = {
  deployment: 'shop',
  application: 'shop',
  version: '2.0',
  code: 'deployment-refused',
  reason: 'the deployment shop has no canary',
  hint: 'Correct it.',
} as const
const missing = {
  ...refused,
  deployment: 'blog',
  code: 'version-missing',
  reason: 'there is no version 9',
} as const

describe('the obstacles of deployments', () => {
  it('G13 are so since they were first found, whatever else comes and goes', () => {
    using journal = closing()
    journal.setObstacles('prod', [refused], 1_000)
    journal.setObstacles('prod', [refused, missing], 2_000)
    expect([...journal.obstacles('prod').values()]).to.deep.equal([
      { ...missing, atMs: 2_000 },
      { ...refused, atMs: 1_000 },
    ])
    journal.setObstacles('prod', [missing], 3_000)
    journal.setObstacles('prod', [missing, refused], 4_000)
    expect([...journal.obstacles('prod').values()].map(({ atMs }) => atMs)).to.deep.equal([2_000, 4_000])
  })

  it('G13 begin anew if something else is wrong, or another version is wanted', () => {
    using journal = closing()
    journal.setObstacles('prod', [refused], 1_000)
    journal.setObstacles('prod', [{ ...refused, version: '3.0' }], 2_000)
    expect(journal.obstacles('prod').get('shop')?.atMs).to.equal(2_000)
    journal.setObstacles('prod', [{ ...refused, version: '3.0', reason: 'it means no site' }], 3_000)
    expect(journal.obstacles('prod').get('shop')?.atMs).to.equal(3_000)
  })

  it('are of their environment', () => {
    using journal = closing()
    journal.setObstacles('prod', [refused], 1_000)
    journal.setObstacles('test', [], 2_000)
    expect([journal.obstacles('prod').size, journal.obstacles('test').size]).to.deep.equal([1, 0])
  })
})

function closing() {
  const journal = memoryJournal()
  return { ...journal, [Symbol.dispose]: () => journal.close() }
}
