import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { answerLines } from '../../../../lib/git/remote/answer.ts'
import type { Packet } from '../../../../lib/git/wire/pkt-line.ts'

describe('an answer without objects', () => {
  it('G24 is given up when it has more lines than any list of refs', async () => {
    async function* endless(): AsyncIterable<Packet> {
      for (;;) yield { kind: 'data', bytes: Buffer.from('x') }
    }
    const error = await answerLines(endless(), 'ssh://git@h/m').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Failure)
    expect(error).to.have.property('message', 'ssh://git@h/m: has more than 200000 refs')
  })
})
