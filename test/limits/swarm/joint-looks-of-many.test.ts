import { expect } from 'chai'
import { manager, service } from '../../unit/swarm/observe/joint-manager.ts'

const { signal } = new AbortController()

describe('what many steps ask a manager of a Swarm for', () => {
  it('G24 is two calls for fifty of them, and for a thousand forty', async () => {
    for (const [steps, calls] of [
      [50, 2],
      [1_000, 40],
    ] as const) {
      const names = Array.from({ length: steps }, (_, at) => `prod_${String(at).padStart(3, '0')}`)
      const { looks, asked } = manager(names.map(name => service(name)))
      const found = await Promise.all(names.map(name => looks.service(name, signal)))
      expect(found.map(looked => looked?.tasks.map(({ ID }) => ID))).to.deep.equal(
        names.map(name => [`task of ${name}`]),
      )
      expect(asked).to.have.lengthOf(calls)
    }
  })
})
