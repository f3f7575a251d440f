import { expect } from 'chai'
import { createContainer } from '../../../../../lib/docker/steps/container/create-container.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { clientWith, engineAnswering } from '../../answering.ts'

const digest = `sha256:${'b'.repeat(64)}`
const step = {
  do: 'create-container',
  container: 'prod.web.1.0123abcd',
  spec: {
    name: 'web',
    image: { reference: 'web:1', pin: { state: 'pinned', digest } },
    restart: { name: 'no' },
    stopGraceMs: 0,
  },
  placement: {
    application: 'shop',
    service: 'web',
    instance: 1,
    fingerprint: 'v1:0123abcd',
    role: 'app',
    network: { name: 'prod' },
    attachments: [],
    aliases: [],
    instanceName: 'prod.web.1.0123abcd',
  },
} as const

describe('a container that the engine cannot make as it is told', () => {
  for (const [Warnings, notes] of [
    [
      ['No swap limit.', 'No swap limit.', 'No cpuset.'],
      ['the engine warns: No swap limit.', 'the engine warns: No cpuset.'],
    ],
    [null, []],
    [[], []],
  ] as const)
    it(`A46 is made with each warning noted once: ${JSON.stringify(Warnings)}`, async () => {
      const client = engineAnswering({
        [`/images/docker.io/library/web@${digest}/json`]: { Config: { Labels: {} } },
        '/containers/create': { Id: 'a', Warnings },
      })
      const noted: string[] = []
      const provenance = { ...identity('prod'), commit: 'c0ffee' }
      await createContainer(client, step, provenance, new AbortController().signal, words =>
        noted.push(words),
      )
      expect(noted).to.deep.equal(notes)
    })

  for (const [version, notes] of [
    [
      '20.10.24',
      ['start_interval has no effect: this is Docker Engine 20.10.24, and 25.0 is the first that knows it'],
    ],
    ['25.0.0', []],
  ] as const)
    it(`A46 is made by engine ${version} with a note if start_interval has no effect there, and is asked nothing for that`, async () => {
      const paths: string[] = []
      const client = {
        ...clientWith(async ({ path }) => {
          paths.push(path)
          const body = path === '/containers/create' ? { Id: 'a' } : { Config: {} }
          return { ok: true, body: JSON.parse(JSON.stringify(body)) }
        }),
        engineVersion: () => version,
      }
      const healthcheck = { kind: 'command', test: ['CMD', 'true'], startIntervalMs: 500 } as const
      const noted: string[] = []
      const provenance = { ...identity('prod'), commit: 'c0ffee' }
      const spec = { ...step.spec, healthcheck }
      await createContainer(client, { ...step, spec }, provenance, new AbortController().signal, words =>
        noted.push(words),
      )
      expect(noted).to.deep.equal(notes)
      expect(paths).to.deep.equal([`/images/docker.io/library/web@${digest}/json`, '/containers/create'])
    })
})
