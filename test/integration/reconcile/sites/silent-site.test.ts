import { expect } from 'chai'
import type { SimulatedEngine } from '../../../support/simulated/engine.ts'
import { service, simulatedScene } from '../../../support/simulated/scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

type Silence = (engine: SimulatedEngine) => Promise<() => Promise<void>>

/** How a site falls silent, and how it comes back. */
const silences: Readonly<Record<string, Silence>> = {
  async hangs(engine) {
    const end = engine.faults.set(/./, 'hangs')
    // One that was stopped goes on with what it was asked meanwhile; this one was restarted.
    return async () => {
      end()
      await engine.off()
      await engine.on()
    }
  },
  async 'dies in the middle of every answer'(engine) {
    const end = engine.faults.set(/./, 'dies')
    return async () => end()
  },
  async 'refuses connections'(engine) {
    await engine.off()
    return engine.on
  },
}

const runs = (tag: string) => [`web.1 registry.example.com/web:${tag} running`]

for (const [how, silence] of Object.entries(silences))
  describe(`a site beside one that ${how}`, () => {
    const it = sideBySide()

    it('G17 is deployed and follows a commit meanwhile, and the other catches up when it is back', async () => {
      await using scene = await simulatedScene({ sites: ['east', 'west'] })
      for (const tag of ['1', '2']) scene.registry.push('web', tag)
      const come = await silence(scene.site('west'))
      await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
      await waitUntil('the good one runs it', () => scene.has('east').join() === runs('1').join())
      await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
      await waitUntil('the good one follows', () => scene.has('east').join() === runs('2').join())
      expect(scene.has('west')).to.deep.equal([])
      await come()
      await waitUntil('the other one catches up', () => scene.has('west').join() === runs('2').join())
    })

    it('G13 G17 has passes and a state of its own: no pass of it fails', async () => {
      await using scene = await simulatedScene({ sites: ['east', 'west'] })
      scene.registry.push('web', '1')
      await silence(scene.site('west'))
      await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
      await waitUntil('the good one runs it', () => scene.has('east').join() === runs('1').join())
      const [status] = await scene.ask('GET /api/v1/environments')
      expect(status.errors).to.deep.equal([])
    })
  })
