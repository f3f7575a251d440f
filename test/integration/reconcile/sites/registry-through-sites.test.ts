import { expect } from 'chai'
import type { SimulatedEngine } from '../../../support/simulated/engine.ts'
import { type SimulatedScene, service, simulatedScene } from '../../../support/simulated/scene.ts'
import type { Fault } from '../../../support/simulated/server/faults.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const noRoute = 'Get "https://registry.example.com/v2/": dial tcp 192.0.2.7:443: connect: no route to host'

/** What an engine says that cannot ask the registry, nor pull from it. */
const hindrances: Readonly<Record<string, Fault>> = {
  'has no route to it': { status: 500, message: noRoute },
  'does not know its name': {
    status: 500,
    message: 'Get "https://registry.example.com/v2/": dial tcp: lookup registry.example.com: no such host',
  },
  'does not take it for an insecure one': {
    status: 500,
    message: 'Get "https://registry.example.com/v2/": http: server gave HTTP response to HTTPS client',
  },
  'does not trust its certificate': {
    status: 500,
    message: 'Get "https://registry.example.com/v2/": x509: certificate signed by unknown authority',
  },
  'has no login for its proxy': {
    status: 500,
    message: 'Get "https://registry.example.com/v2/": Proxy Authentication Required',
  },
  'is refused by its proxy': {
    status: 500,
    message: 'Get "https://registry.example.com/v2/": Forbidden',
  },
  'dies in the middle of the answer': 'dies',
}

/** The registry is asked for tags, and for what is pulled. */
const toRegistry = /^GET \/distribution\/|^POST \/images\/create/

const runs = (tag: string) => [`web.1 registry.example.com/web:${tag} running`]

const asked = ({ calls }: SimulatedEngine) =>
  calls.filter(call => call.startsWith('GET /distribution/')).length

async function deployed(scene: SimulatedScene, site: string, tag: string): Promise<void> {
  await waitUntil(`${site} runs web:${tag}`, () => scene.has(site).join() === runs(tag).join())
}

describe('the registry of an environment on two sites', () => {
  const it = sideBySide()

  for (const [how, fault] of Object.entries(hindrances))
    for (const [lacking, other] of [
      ['east', 'west'],
      ['west', 'east'],
    ] as const)
      it(`G17 X9 is asked through ${other} if ${lacking} ${how}, and ${other} follows each commit`, async () => {
        await using scene = await simulatedScene({ sites: ['east', 'west'] })
        for (const tag of ['1', '2']) scene.registry.push('web', tag)
        scene.site(lacking).faults.set(/^GET \/distribution\//, fault)
        // An engine that dies in the middle of a pull may have the image all the same.
        scene.site(lacking).faults.set(/^POST \/images\/create/, { status: 500, message: noRoute })
        for (const tag of ['1', '2']) {
          await scene.commit({ services: [service('web', tag)], skipConfirmation: true })
          await deployed(scene, other, tag)
        }
        expect(scene.has(lacking)).to.deep.equal([])
      })

  it('G17 is asked through the other site if the first one is lost in the middle of the questions', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    for (const name of ['web', 'api']) scene.registry.push(name, '1')
    const east = scene.site('east')
    east.faults.set(/^GET \/distribution\//, { heldUntil: () => east.off() })
    await scene.commit({ services: [service('web', '1'), service('api', '1')], skipConfirmation: true })
    await waitUntil('west runs both', () => scene.has('west').length === 2)
  })

  it('G21 is asked through no other site if it says that it has no such image', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    await scene.until('it is refused', ({ errors }) => errors.some(({ code }) => code === 'image-not-found'))
    expect([asked(scene.site('east')) > 0, asked(scene.site('west'))]).to.deep.equal([true, 0])
  })

  it('G21 is asked through the site that reached it last, also by a daemon that begins anew', async () => {
    await using scene = await simulatedScene({ sites: ['east', 'west'] })
    for (const tag of ['1', '2', '3']) scene.registry.push('web', tag)
    scene.site('east').faults.set(toRegistry, { status: 500, message: noRoute })
    await scene.commit({ services: [service('web', '1')], skipConfirmation: true })
    await deployed(scene, 'west', '1')
    const before = asked(scene.site('east'))
    await scene.commit({ services: [service('web', '2')], skipConfirmation: true })
    await deployed(scene, 'west', '2')
    await scene.restart()
    await scene.commit({ services: [service('web', '3')], skipConfirmation: true })
    await deployed(scene, 'west', '3')
    expect([before, asked(scene.site('east'))]).to.deep.equal([1, 1])
  })
})
