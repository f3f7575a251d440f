import { expect } from 'chai'
import type { Client } from '../../../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../../../lib/docker/api/connection/dial.ts'
import { createContainer } from '../../../../../lib/docker/steps/container/create-container.ts'
import { checkHostPath } from '../../../../../lib/docker/steps/volume/check-host-path.ts'
import { label } from '../../../../../lib/state/labels.ts'
import type { Role } from '../../../../../lib/state/running/live.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { clientWith } from '../../answering.ts'

const provenance = { ...identity('prod'), commit: 'c0ffee' }
const { signal } = new AbortController()
const digest = `sha256:${'b'.repeat(64)}`
const image = { reference: 'web:1', pin: { state: 'pinned', digest } } as const

/** An engine whose images bear these labels and variables, and what was asked of it. */
function engineWith(labels: Readonly<Record<string, string>>, env?: readonly string[]) {
  const requests: EngineRequest[] = []
  const client = clientWith(async request => {
    requests.push(request)
    const { method, path } = request
    if (path.startsWith('/images/'))
      return {
        ok: true,
        body: JSON.parse(
          JSON.stringify({ Id: `sha256:${'a'.repeat(64)}`, Config: { Labels: labels, Env: env } }),
        ),
      }
    if (method === 'HEAD') return { ok: false, status: 404, message: 'no such path' }
    if (method === 'GET') return { ok: false, status: 404, message: 'no such container' }
    return { ok: true, body: JSON.parse('{}') }
  })
  const bodies = () =>
    requests.filter(({ path }) => path === '/containers/create').map(({ body }) => Object(body))
  return { client, requests, bodies, created: () => bodies().map(({ Labels }) => Labels) }
}

const step = (role: Role) =>
  ({
    do: 'create-container',
    container: 'prod.web.1.0123abcd',
    spec: { name: 'web', image, restart: { name: 'no' }, stopGraceMs: 0 },
    placement: {
      application: 'shop',
      service: 'web',
      instance: 1,
      fingerprint: 'v1:0123abcd',
      role,
      network: { name: 'prod' },
      attachments: [],
      aliases: [],
      instanceName: 'prod.web.1.0123abcd',
    },
  }) as const

describe('a container whose image speaks for tallyman', () => {
  const every = Object.fromEntries(Object.values(label).map(name => [name, 'hostile']))

  for (const role of ['app', 'sandbox', 'init', 'hook', 'deploy', 'test'] as const)
    it(`G10 bears no label that tallyman did not set: ${role}`, async () => {
      const { client, created } = engineWith({ ...every, 'tallyman.later': '1', 'Tallyman.Ingress': 'prod' })
      await createContainer(client, step(role), provenance, signal)
      expect(created()).to.deep.equal([
        {
          'tallyman.environment': 'prod',
          'tallyman.source': 'ops/manifests',
          'tallyman.directory': 'environments/prod',
          'tallyman.application': 'shop',
          'tallyman.service': 'web',
          'tallyman.instance': '1',
          'tallyman.container': 'web',
          'tallyman.role': role,
          'tallyman.fingerprint': 'v1:0123abcd',
          'tallyman.image': 'web:1',
          'tallyman.digest': digest,
          'tallyman.image-id': '',
          'tallyman.commit': 'c0ffee',
          'tallyman.version': '',
          'tallyman.pod': '',
          'tallyman.processes': '',
          'tallyman.restart': '',
          'tallyman.ephemeral': '',
          'tallyman.files': '',
          'tallyman.networks': '',
          'tallyman.login': '',
          'tallyman.record': '',
          'tallyman.ingress': '',
          'tallyman.later': '',
          'Tallyman.Ingress': '',
        },
      ])
    })

  it('G10 bears none either where it only looks at a path of the host', async () => {
    const { client, created } = engineWith(every)
    const check = { do: 'check-host-path', path: '/srv/data/a', within: '/srv/data', image } as const
    await checkHostPath(client, check, provenance, signal).catch(() => undefined)
    const [labels] = created()
    expect(Object.entries(labels).filter(([, value]) => value !== '')).to.deep.equal([
      ['tallyman.environment', 'prod'],
      ['tallyman.source', 'ops/manifests'],
      ['tallyman.directory', 'environments/prod'],
    ])
    expect(labels).to.have.keys(Object.values(label))
  })

  it('G2 keeps the other labels of its image, which are its own', async () => {
    const { client, created } = engineWith({ 'com.example.team': 'shop', tallyman: 'is fine' })
    await createContainer(client, step('app'), provenance, signal)
    expect(Object.keys(created()[0])).to.satisfy((names: readonly string[]) =>
      names.every(name => name.startsWith('tallyman.')),
    )
  })

  it('D4 has its image asked once, however many are made of it', async () => {
    const { client, requests } = engineWith(every)
    for (const role of ['app', 'hook'] as const) await createContainer(client, step(role), provenance, signal)
    expect(requests.filter(({ path }) => path.startsWith('/images/'))).to.have.lengthOf(1)
  })

  it('G10 is not made at all where nobody can say what its image is labelled with', async () => {
    const { client, requests } = engineWith({})
    const broken: Client = {
      ...client,
      call: async (request, signal) =>
        request.path.startsWith('/images/')
          ? { ok: false, status: 404, message: 'No such image: web' }
          : client.call(request, signal),
    }
    const failure = await createContainer(broken, step('app'), provenance, signal).catch(
      (error: unknown) => error,
    )
    expect(failure).to.include({
      code: 'image-not-found',
      message: 'local: prod.web.1.0123abcd: No such image: web',
    })
    expect(requests).to.deep.equal([])
  })
})

describe('a container whose image has variables', () => {
  const env = ['PATH=/bin', 'a.b=c=d\ne', 'VER=1.0.0', 'VER=2', 'bare', '=', 'LD_PRELOAD=/x']
  const alone = {
    ...step('app'),
    spec: { ...step('app').spec, imageEnv: 'unset' as const, env: { PATH: '/usr/bin', OWN: '' } },
  }

  it('C5 has none of them where its own replace them, and those that it sets itself', async () => {
    const { client, bodies } = engineWith({}, env)
    await createContainer(client, alone, provenance, signal)
    expect(bodies()[0].Env).to.deep.equal(['OWN=', 'PATH=/usr/bin', 'LD_PRELOAD', 'VER', 'a.b', 'bare'])
  })

  it('C12 has nothing set otherwise', async () => {
    const { client, bodies } = engineWith({}, env)
    await createContainer(client, step('app'), provenance, signal)
    expect(bodies()[0]).not.to.have.any.keys('Cmd', 'Entrypoint', 'Env')
  })
})
