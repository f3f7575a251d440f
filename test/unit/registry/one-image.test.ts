import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Client } from '../../../lib/docker/api/client.ts'
import { distribution, localImage } from '../../../lib/docker/images.ts'
import type { Engine } from '../../../lib/engine.ts'
import { throughEngines } from '../../../lib/reconcile/repository/commit/through-engines.ts'
import { createRegistryRotation } from '../../../lib/reconcile/repository/registry-routes.ts'
import { pinImages } from '../../../lib/registry/pin.ts'
import type { Application, Instance } from '../../../lib/state/application/application.ts'
import {
  application,
  container,
  desired,
  digest,
  instance,
  service,
} from '../../support/builders/builders.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { clientWith } from '../docker/answering.ts'
import { borrowed, registryAnswers } from '../docker/api/registry-answers.ts'

const { signal } = new AbortController()
const statuses = [400, 401, 403, 404, 405, 429, 500, 502, 503]

/** More applications than images are asked about side by side, and the one whose image is refused is the first. */
const good = Array.from({ length: 20 }, (_, index) => `shop-${index + 1}`)

/** On one site, an engine is asked as it is; from two on, others are asked as well, and never more than a few. */
const fleets = [1, 2, 40]

describe('what is answered about one image', () => {
  for (const words of [...registryAnswers.map(([, message]) => message), ...borrowed])
    it(`D15 G17 concerns its application alone: "${words.slice(0, 60)}"`, async () => {
      for (const status of statuses)
        for (const sites of fleets) {
          const { pinned } = await askedOn(sites, '/distribution/', status, words)
          expect(pinned, `${status} on ${sites}`).to.deep.equal(good)
        }
    })

  it('D15 G17 concerns its application alone also where the engine does not say what it has itself', async () => {
    for (const sites of fleets)
      for (const words of ['layer does not exist', 'not found']) {
        const { pinned } = await askedOn(sites, '/', 500, words)
        expect(pinned, `${words} on ${sites}`).to.deep.equal(good)
      }
  })

  it('G24 is asked of four engines at most, whatever they answer', async () => {
    for (const words of ['not found', 'layer does not exist', 'connection refused', 'manifest unknown']) {
      const { calls } = await askedOn(40, '/', 500, words)
      for (const call of ['/images/127.0.0.1:9/web:1/json', '/distribution/127.0.0.1:9/web:1/json'])
        expect(calls.filter(path => path === call).length, `${words}: ${call}`).to.be.within(1, 4)
    }
  })
})

/**
 * Returns the applications whose images are pinned, of `lab` and the good ones, on an environment of so many sites, where
 * every call below a path that is about the image of `lab` is refused like this. `calls` are those about that image.
 */
async function askedOn(sites: number, below: string, status: number, message: string) {
  const calls: string[] = []
  const client = clientWith((async ({ path }) => {
    const isOfLab = path.includes('127.0.0.1:9')
    if (isOfLab) calls.push(path)
    if (isOfLab && path.startsWith(below)) return { ok: false, status, message }
    if (path.startsWith('/images/')) return { ok: false, status: 404, message: 'No such image' }
    // The answer about the image of `lab` is always the sooner one.
    await turn()
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    return { ok: true, body: { Descriptor: { digest: digest('a'), mediaType } } }
  }) as Client['call'])
  const engines = Array.from({ length: sites }, (_, index): Engine => {
    const engine = memoryEngine({ site: `store-${index + 1}` })
    return {
      ...engine,
      distribution: (reference: string) => distribution(client, reference, signal),
      localImage: (reference: string) => localImage(client, reference, signal),
    }
  })
  const routes = {
    reachedThrough: () => undefined,
    setReachedThrough: () => undefined,
    rotation: createRegistryRotation(),
  }
  const { applications } = await pinImages(
    desired(using('lab', '127.0.0.1:9/web:1'), ...good.map(name => using(name, `registry.shop/${name}:1`))),
    {
      engine: throughEngines(engines, routes, signal),
      resolutions: { find: () => undefined, remember: () => undefined },
      login: async () => undefined,
      commit: 'c1',
    },
    signal,
  )
  const isPinned = ({ services }: Application) =>
    services.every(({ instances }) =>
      instances.every(({ containers }) => containers.every(({ image }) => image.pin.state === 'pinned')),
    )
  return { pinned: applications.filter(isPinned).map(({ name }) => name), calls }
}

function using(name: string, reference: string): Application {
  const image = { reference, pin: { state: 'unknown', reason: 'not asked yet' } } as const
  const one: Instance = { ...instance(), containers: [{ ...container(), image }] }
  return application(name, [{ ...service({ name }), instances: [one] }])
}
