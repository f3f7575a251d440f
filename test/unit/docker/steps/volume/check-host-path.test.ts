import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { Client } from '../../../../../lib/docker/api/client.ts'
import { checkHostPath } from '../../../../../lib/docker/steps/volume/check-host-path.ts'
import { createLanes } from '../../../../../lib/wait/lanes.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { failureOf } from '../../../../support/failures/failure-of.ts'
import { clientWith } from '../../answering.ts'

const provenance = { ...identity('prod'), commit: 'c0ffee' }
const { signal } = new AbortController()
const stat = Buffer.from('{"linkTarget":""}').toString('base64')

/** An engine that gives each name once and on which every path is a directory, and the names on it. */
function engine(volumes: Readonly<Record<string, string>> = {}) {
  const names = new Set<string>()
  const answer = async ({ method, path, query }: Parameters<Client['call']>[0]) => {
    await setImmediate()
    const [, , name = ''] = path.split('/')
    if (path.startsWith('/volumes/')) {
      const device = volumes[name]
      if (device === undefined) return { ok: false, status: 404, message: 'no such volume' }
      return { ok: true, body: { Options: { type: 'none', device, o: 'bind' } } }
    }
    if (path.startsWith('/images/')) return { ok: true, body: { Config: { Labels: {} } } }
    if (method === 'DELETE')
      return names.delete(name) ? { ok: true, body: undefined } : { ok: false, status: 404, message: 'none' }
    if (method === 'HEAD')
      return names.has(name)
        ? { ok: true, body: { headers: { 'x-docker-container-path-stat': stat }, resume: () => undefined } }
        : { ok: false, status: 404, message: `No such container: ${name}` }
    const wanted = String(query?.['name'])
    if (names.has(wanted)) return { ok: false, status: 409, message: `The name ${wanted} is already in use` }
    names.add(wanted)
    return { ok: true, body: { Id: wanted } }
  }
  const looked: string[] = []
  const call: Client['call'] = async (request, during) => {
    if (request.method === 'HEAD') looked.push(String(request.query?.['path']))
    return (answer as Client['call'])(request, during)
  }
  return { client: { ...clientWith(call), inLane: createLanes() }, names, looked }
}

function check(client: Client, tag: string, volume?: string) {
  const image = {
    reference: `web:${tag}`,
    pin: { state: 'pinned', digest: `sha256:${tag.repeat(64)}` },
  } as const
  const step = {
    do: 'check-host-path',
    path: '/srv/data/in',
    within: '/srv/data',
    image,
    ...(volume === undefined ? {} : { volume, allowed: ['/srv/data', '/var/data'] }),
  } as const
  return checkHostPath(client, step, provenance, signal)
}

describe('checkHostPath', () => {
  for (const [what, tags] of [
    ['different images', ['a', 'b', 'c']],
    ['the same image', ['a', 'a', 'a']],
  ] as const)
    it(`G17 C20 looks at one directory for several applications with ${what} at the same time`, async () => {
      const { client, names } = engine()
      const ends = await Promise.allSettled(tags.map(tag => check(client, tag)))
      expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled'])
      expect([...names]).to.deep.equal([])
    })

  it('G23 looks at the path that an existing volume binds, which stays as it was made', async () => {
    const { client, looked } = engine({
      'prod.shop.data': '/srv/data/link',
      'prod.shop.old': '/var/data/old',
    })
    for (const volume of ['data', 'old', 'new']) await check(client, 'a', `prod.shop.${volume}`)
    expect(looked).to.deep.equal(['link', 'old', 'in'].map(part => `/.tallyman-check/${part}`))
  })

  it('G23 refuses an existing volume that binds a path outside of the allowed directory', async () => {
    for (const device of ['/etc', '/srv/data/../..', '/srv/database']) {
      const { client, names } = engine({ 'prod.shop.data': device })
      const { code, hint } = await failureOf(check(client, 'a', 'prod.shop.data'))
      expect([code, hint, [...names]], device).to.deep.equal([
        'policy-violation',
        'Remove the volume, if nothing in it is needed, or write the "driver_opts" with which it was made. Then run "tallyman retry".',
        [],
      ])
    }
  })

  it('C20 removes what a crash left of the same check, whatever its image was', async () => {
    const { client, names } = engine()
    const crash = new Error('the process ended')
    const crashing: Client = {
      ...client,
      call: async (request, during) => {
        if (request.method === 'HEAD' || (request.method === 'DELETE' && names.size > 0)) throw crash
        return client.call(request, during)
      },
    }
    expect(await check(crashing, 'a').catch(error => error)).to.equal(crash)
    expect([...names]).to.have.length(1)
    await check(client, 'b')
    expect([...names]).to.deep.equal([])
  })
})
