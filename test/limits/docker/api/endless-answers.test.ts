import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { engine } from '../../../component/docker/api/answering-engine.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'

const read: EngineRequest = { method: 'GET', path: '/containers/json' }

const piece = Buffer.alloc(1024 * 1024, ' ')

/** Sends blanks for as long as somebody reads, and tells when nobody does. */
function endless(status: number) {
  const left = Promise.withResolvers<void>()
  const answer = (response: ServerResponse) => {
    response.writeHead(status)
    response.on('close', left.resolve)
    const send = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', send)
    send()
  }
  return { answer, left: left.promise }
}

describe('an engine that does not stop to answer', () => {
  it('G17 G22 is left, and its site has an error that says what was too large', async () => {
    const { answer, left } = endless(200)
    await using there = await engine(answer)
    expect(await failureOf(there.call(read))).to.include({
      code: 'engine-unreachable',
      message: 'local: the answer to GET /containers/json has more than 134217728 bytes',
    })
    await left
  })

  it('D15 G17 G22 is left much earlier if it refuses: it may repeat what a registry says, which is no fault of its own', async () => {
    const { answer, left } = endless(500)
    await using there = await engine(answer)
    expect(await there.call(read)).to.deep.equal({ ok: false, status: 500, message: '' })
    await left
  })

  it('D15 is understood by the beginning of what it says', async () => {
    const words = `denied: ${'x'.repeat(2 * 1024 * 1024)}`
    await using there = await engine(response =>
      response.writeHead(403).end(JSON.stringify({ message: words })),
    )
    const answer = await there.call(read)
    expect(answer.ok ? '' : answer.message.slice(0, 20)).to.equal('{"message":"denied: ')
    expect(answer.ok ? 0 : answer.message.length).to.equal(1024 * 1024)
  })

  it('is read to its end where it has ten thousand containers with many labels', async () => {
    const labels = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`label-${n}`, 'x'.repeat(60)]))
    const containers = Array.from({ length: 10_000 }, (_, n) => ({ Id: `${n}`, Labels: labels }))
    await using there = await engine(response => response.end(JSON.stringify(containers)))
    const answer = await there.call<readonly unknown[]>(read)
    expect(answer.ok && answer.body.length).to.equal(10_000)
  })
})
