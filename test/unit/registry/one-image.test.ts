import { expect } from 'chai'
import type { Client } from '../../../lib/docker/api/client.ts'
import { distribution, localImage } from '../../../lib/docker/images.ts'
import type { Engine } from '../../../lib/engine.ts'
import { pinImages } from '../../../lib/registry/pin.ts'
import type { Application, Instance } from '../../../lib/state/application/application.ts'
import { application, container, desired, digest, instance, service } from '../../support/builders.ts'
import { memoryEngine } from '../../support/memory-engine.ts'
import { clientWith } from '../docker/answering.ts'
import { registryAnswers } from '../docker/api/registry-answers.ts'

const { signal } = new AbortController()
const statuses = [400, 401, 403, 404, 405, 429, 500, 502, 503]

/** Words that mean something else where an engine says them of itself. */
const borrowed = [
  'errors: denied: no space left on device',
  'no space left on device',
  'disk quota exceeded',
  'not found',
  'page not found',
  'transport is closing',
  'denied: server is shutting down',
  'unknown: unavailable',
  'No such container: shop',
  'port is already allocated',
  '',
]

describe('what is answered about one image', () => {
  for (const words of [...registryAnswers.map(([, message]) => message), ...borrowed])
    it(`D15 G17 concerns its application alone: "${words.slice(0, 60)}"`, async () => {
      for (const status of statuses)
        expect(await pinnedWhere('/distribution/', status, words), `${status}`).to.deep.equal(['shop'])
    })

  it('D15 G17 concerns its application alone also where the engine does not say what it has itself', async () => {
    expect(await pinnedWhere('/', 500, 'layer does not exist')).to.deep.equal(['shop'])
  })
})

/**
 * Returns the applications whose images are pinned, of `shop` and `lab`, where every call below a path that is about the
 * image of `lab` is refused like this.
 */
async function pinnedWhere(below: string, status: number, message: string): Promise<readonly string[]> {
  const client = clientWith((async ({ path }) => {
    if (path.startsWith(below) && path.includes('127.0.0.1:9')) return { ok: false, status, message }
    if (path.startsWith('/images/')) return { ok: false, status: 404, message: 'No such image' }
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    return { ok: true, body: { Descriptor: { digest: digest('a'), mediaType } } }
  }) as Client['call'])
  const engine: Engine = {
    ...memoryEngine(),
    distribution: (reference: string) => distribution(client, reference, signal),
    localImage: (reference: string) => localImage(client, reference, signal),
  }
  const { applications } = await pinImages(
    desired(using('shop', 'registry.shop/web:1'), using('lab', '127.0.0.1:9/web:1')),
    {
      engine,
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
  return applications.filter(isPinned).map(({ name }) => name)
}

function using(name: string, reference: string): Application {
  const image = { reference, pin: { state: 'unknown', reason: 'not asked yet' } } as const
  const one: Instance = { ...instance(), containers: [{ ...container(), image }] }
  return application(name, [{ ...service({ name }), instances: [one] }])
}
