import { expect } from 'chai'
import { createContainer } from '../../../lib/docker/steps/create-container.ts'
import { identity } from '../../support/builders.ts'
import { engineAnswering } from './answering.ts'

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
})
