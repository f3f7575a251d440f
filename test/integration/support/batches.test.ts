import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allBatches, longest } from '../../support/batches.ts'

const root = join(import.meta.dirname, '../../..')

describe('the batches of all tests', () => {
  it('have each test file once', () => {
    const files = globSync('test/**/*.test.ts', { cwd: root })
    expect(allBatches().flatMap(one => one.files)).to.have.members(files)
  })

  it('begin with those that take longest, each of which there is', () => {
    const firsts = allBatches().slice(0, longest.length)
    const isIn = (one: string) => firsts.some(({ name, files }) => name === one || files.includes(one))
    expect(longest.filter(one => !isIn(one))).to.deep.equal([])
  })

  it('have Swarms of one network in one of them', () => {
    const swarms = allBatches().filter(({ files }) => files.includes('test/e2e/swarm.test.ts'))
    expect(swarms.map(({ name }) => name)).to.deep.equal(['test/e2e/swarm'])
    expect(swarms[0]?.files).to.include.members([
      'test/e2e/swarm-corrected.test.ts',
      'test/e2e/swarm-ingress.test.ts',
    ])
  })
})
