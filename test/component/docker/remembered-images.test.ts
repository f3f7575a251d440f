import { expect } from 'chai'
import { type Client, nothingRemembered, openClient } from '../../../lib/docker/api/client.ts'
import { imageFacts } from '../../../lib/docker/container/config/inherited.ts'
import { observe } from '../../../lib/docker/observe/observe.ts'
import { label } from '../../../lib/state/labels.ts'
import { digest, identity } from '../../support/builders/builders.ts'
import { clientWith } from '../../unit/docker/answering.ts'

const { signal } = new AbortController()
const prod = identity('prod')

describe('what is remembered of the images of a site', () => {
  it('G22 has a bound, however many images there were', async () => {
    const client = clientWith((async ({ path }) => ({
      ok: true,
      body: { Id: path.replace(/.*@|\/json/g, ''), Config: { Env: ['PATH=/bin'] } },
    })) as Client['call'])
    for (let number = 0; number < 10_000; number += 1) {
      const image = `web@sha256:${String(number).padStart(64, '0')}`
      await imageFacts(client, image, signal)
      client.imageIds.set(image, image)
      client.versions.set(image, image)
    }
    const sizes = [client.imageFacts, client.imageIds, client.versions].map(each => each.count())
    for (const size of sizes) expect(size).to.be.at.most(2_000)
  })

  it('G22 is all that a connection keeps, besides what is of its containers and its pods', () => {
    const client = openClient({ name: 'local', endpoint: 'tcp://127.0.0.1:9' }, async () => undefined)
    const unbounded = Object.entries(client).flatMap(([name, value]) => (value instanceof Map ? [name] : []))
    expect(unbounded).to.have.members(['looks', 'registered'])
  })

  it('G21 is not asked for again by passes without changes, however long ago the last one was', async () => {
    let now = 0
    const asked: string[] = []
    const answers: Client['call'] = (async ({ path }) => {
      asked.push(path)
      if (path === '/containers/json') return { ok: true, body: [listed('web'), listed('api')] }
      if (path.startsWith('/images/')) return { ok: true, body: { Id: digest('b') } }
      return { ok: false, status: 404, message: 'No such container' }
    }) as Client['call']
    const client: Client = { ...clientWith(answers), ...nothingRemembered(() => now) }
    const pass = async () => {
      asked.length = 0
      await observe(client, prod, signal)
      return asked.filter(path => path.startsWith('/images/')).length
    }
    expect(await pass(), 'the first').to.equal(3)
    for (const hours of [0, 1, 24, 1_000]) {
      now += hours * 3_600_000
      expect(await pass(), `${hours} hours later`).to.equal(0)
    }
  })
})

/** A container as an engine lists it once the name of its image means none: it tells neither a name nor a digest. */
function listed(service: string) {
  return {
    Id: service.padEnd(64, '0'),
    Names: [`/prod.${service}.1`],
    Image: digest('b'),
    ImageID: digest('b'),
    Labels: {
      [label.environment]: prod.environment,
      [label.source]: prod.source,
      [label.directory]: prod.directory,
      [label.application]: service,
      [label.service]: service,
      [label.instance]: '1',
      [label.container]: service,
      [label.role]: 'app',
      [label.image]: `example.com/${service}:1`,
      [label.digest]: digest('a'),
      [label.fingerprint]: 'f',
    },
    State: 'running',
    Status: 'Up',
    Mounts: [],
  }
}
