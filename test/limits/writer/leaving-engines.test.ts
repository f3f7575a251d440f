import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createWriter, type Writer } from '../../../lib/writer.ts'
import { identity } from '../../support/builders/builders.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'

describe('a process that claimed an environment on very many engines', () => {
  let directory = ''
  const writers = new Map<number, Writer>()
  const engineOf = (count: number, index: number) => `${directory} ${count} ${index}`
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-claims-'))
    for (const count of [200, 2_000]) {
      const writer = createWriter(directory)
      writers.set(count, writer)
      // One after the other: each claim is an open file for as long as it lasts.
      for (let index = 0; index < count; index += 1) {
        const id = engineOf(count, index)
        expect(await writer.claim(writers, identity('prod'), [{ id }])).to.deep.equal({ isOurs: true })
        await writer.leave(writers, id)
      }
    }
  })
  after(async () => {
    for (const writer of writers.values()) await writer.release()
    rmSync(directory, { recursive: true })
  })

  it('D17 G17 gives up each without a look at all others', async () => {
    const leaveAll = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        await writers.get(count)?.leave(writers, engineOf(count, index))
    }
    expect(await growth(leaveAll, 200)).to.be.below(mostInProportion)
  })
})
