import { Readable } from 'node:stream'
import { expect } from 'chai'
import { eachJsonLine } from '../../../../lib/docker/api/json-lines.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'

describe('eachJsonLine', () => {
  it('G17 takes no longer for each piece of a long line than for one of a short line', async () => {
    const readPieces = (count: number) => {
      const pieces = Array(count).fill(Buffer.alloc(40, 'x'))
      return eachJsonLine(Readable.from([Buffer.from('"'), ...pieces, Buffer.from('"')]), () => {})
    }
    expect(await growth(readPieces, 3_000)).to.be.below(mostInProportion)
  })
})
