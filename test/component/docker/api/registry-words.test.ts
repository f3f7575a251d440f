import { expect } from 'chai'
import type { Client } from '../../../../lib/docker/api/client.ts'
import { distribution } from '../../../../lib/docker/images.ts'
import { pullImage } from '../../../../lib/docker/steps/image/pull-image.ts'
import { digest } from '../../../support/builders/builders.ts'
import { failureOf } from '../../../support/failures/failure-of.ts'
import { borrowed } from '../../../unit/docker/api/registry-answers.ts'
import { engine } from './answering-engine.ts'

const { signal } = new AbortController()
const reference = 'registry.example.com/web:1'

/** An engine that has no image, and answers everything else with a server error of these words. */
const saying = (message: string) =>
  engine(response => {
    const isLocal = response.req.url?.includes('/images/registry.example.com/') === true
    if (isLocal) response.writeHead(404).end('{"message":"No such image"}')
    else response.writeHead(500).end(JSON.stringify({ message }))
  })

const questions: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'is asked for a tag': client => distribution(client, reference, signal),
  'is pulled from': client => pullImage(client, { reference, digest: digest('1') }, signal),
}

describe('an engine through which a registry', () => {
  for (const [how, ask] of Object.entries(questions))
    it(`D15 A33 ${how} does not count as away for a while, whatever the registry says`, async () => {
      for (const words of borrowed) {
        await using there = await saying(words)
        await failureOf(ask(there.client))
        expect(there.client.wasAway(), words).to.equal(false)
      }
    })
})

describe('an engine that refuses because it is shutting down', () => {
  it('G17 counts as away for a while', async () => {
    await using there = await saying('transport is closing: unavailable')
    await there.call({ method: 'GET', path: '/containers/json' })
    expect(there.client.wasAway()).to.equal(true)
  })
})
