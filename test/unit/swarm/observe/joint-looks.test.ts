import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { identity } from '../../../support/builders/builders.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { clientWith } from '../../docker/answering.ts'
import { manager, service } from './joint-manager.ts'

const { signal } = new AbortController()

describe('what many steps ask a manager of a Swarm for', () => {
  it("G10 is not that of a service whose name begins so, and fails for another's, and for that alone", async () => {
    const { looks } = manager([
      service('prod_web2'),
      service('prod_api', identity('other')),
      service('prod_db'),
    ])
    const [web, api, db] = [
      looks.service('prod_web', signal),
      looks.service('prod_api', signal),
      looks.service('prod_db', signal),
    ]
    expect(await web).to.equal(undefined)
    expect((await failureOf(api)).code).to.equal('name-taken')
    expect((await db)?.there.ID).to.equal('id of prod_db')
  })

  it('D18 are the tasks of the others, too, where one was removed between the two calls', async () => {
    const [web, api] = [service('prod_web'), service('prod_api')]
    const { looks } = manager([web, api], [api.ID])
    const found = await Promise.all([looks.service('prod_web', signal), looks.service('prod_api', signal)])
    expect(found.map(looked => looked?.tasks.length)).to.deep.equal([1, 0])
  })

  it('H22 is waited for no longer by a step that is stopped, and still by the others', async () => {
    const { looks } = manager([service('prod_web'), service('prod_api')])
    const stopping = new AbortController()
    const [stopped, other] = [looks.service('prod_web', stopping.signal), looks.service('prod_api', signal)]
    stopping.abort()
    expect((await failureOf(stopped)).code).to.equal('interrupted')
    expect((await other)?.tasks).to.have.lengthOf(1)
  })

  it('D17 is no removal: that asks the manager of the pass that removes, which may no longer do so', async () => {
    const { looks, asked } = manager([])
    const lost = clientWith(async () => {
      throw new Failure('interrupted', 'another process writes now')
    })
    const { code } = await failureOf(looks.forgetFiles(lost, signal))
    expect([code, asked]).to.deep.equal(['interrupted', []])
  })
})
