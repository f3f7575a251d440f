import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { guarding } from '../../../../lib/docker/api/guarding.ts'
import { Failure } from '../../../../lib/errors.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { clientWith } from '../answering.ts'

const { signal } = new AbortController()

describe('a client for the steps of a pass', () => {
  it('D17 makes a call that may change something only for the writer, and reads for anybody', async () => {
    const made: string[] = []
    const client = clientWith(async ({ method }) => {
      made.push(method)
      return { ok: false, status: 404, message: 'there is none' }
    })
    let isOurs = true
    const guarded = guarding(client, async () => {
      if (!isOurs) throw new Failure('interrupted', 'another one is the writer')
    })
    const call = (method: EngineRequest['method']) =>
      guarded.call({ method, path: '/containers/web' }, signal)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const) await call(method)
    isOurs = false
    for (const method of ['GET', 'HEAD'] as const) await call(method)
    for (const method of ['POST', 'PUT', 'DELETE'] as const)
      expect((await failureOf(call(method))).code).to.equal('interrupted')
    expect(made).to.deep.equal(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'GET', 'HEAD'])
  })
})
