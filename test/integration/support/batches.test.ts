import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allBatches, type Batch, longest } from '../../support/suite/batches.ts'

const root = join(import.meta.dirname, '../../..')

describe('the batches of all tests', () => {
  it('have each test file once', () => {
    const files = globSync('test/**/*.test.ts', { cwd: root })
    const batches = [...allBatches('usual'), ...allBatches('swarm')]
    expect(batches.flatMap(one => one.files)).to.have.members(files)
  })

  it('begin with those that take longest, each of which there is', () => {
    const all = [allBatches('usual'), allBatches('swarm')]
    const isIn =
      (one: string) =>
      ({ name, files }: Batch) =>
        name === one || files.includes(one)
    const firsts = all.map(batches => longest.filter(one => batches.some(isIn(one))))
    for (const [at, batches] of all.entries())
      expect(firsts[at]?.map(one => batches.findIndex(isIn(one)))).to.deep.equal([
        ...(firsts[at]?.keys() ?? []),
      ])
    expect(firsts.flat()).to.have.members(longest)
  })

  it('have Swarms of one network in one of them', () => {
    const files = allBatches('swarm').find(({ name }) => name === 'test/swarm/of-one')?.files
    expect(files).to.include.members([
      'test/swarm/of-one/corrected.test.ts',
      'test/swarm/of-one/ingress.test.ts',
    ])
  })

  it('have what makes a process large in one of its own', () => {
    const batch = allBatches('usual').find(({ name }) => name === 'test/integration/git/objects')
    expect(batch?.files).to.deep.equal(['test/integration/git/objects/hostile-packs.test.ts'])
  })
})
