import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../../../lib/config.ts'
import { openParts, worldOf } from '../../../../lib/daemon.ts'
import { createLog } from '../../../../lib/log.ts'
import { round } from '../../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../../lib/reconcile/site/pass-request.ts'
import { asSite } from '../../../support/builders/sites.ts'
import { cleanUp } from '../../../support/engine/clean-up.ts'
import { startCountingEngine } from '../../../support/engine/counting-engine.ts'
import { startGitServer } from '../../../support/git/git-server.ts'
import { createRepository } from '../../../support/git/repository.ts'
import { pushImage } from '../../../support/images/images.ts'
import { startRegistry } from '../../../support/images/registry.ts'
import { testMachine, uniqueName } from '../../../support/suite/env.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'

describe('a pass without changes', () => {
  const it = sideBySide()

  for (const prune of [false, true]) {
    const also = prune ? ', also where old images are removed' : ''
    it(`costs one look-up of the ref and one list call per engine, and asks no registry${also}`, () =>
      expectOneCall(prune))
  }
})

async function expectOneCall(prune: boolean): Promise<void> {
  const { dockerSocket } = await testMachine()
  const environment = uniqueName()
  await using stack = new AsyncDisposableStack()
  stack.use(cleanUp(dockerSocket, environment))
  const registry = stack.use(await startRegistry())
  const engine = stack.use(await startCountingEngine(dockerSocket))
  const gitServer = stack.use(await startGitServer())
  const repository = stack.use(await createRepository(gitServer))
  await pushImage(registry, 'web', '1')
  await repository.commit({
    [`environments/${environment}/manifest.json`]: JSON.stringify({
      skipConfirmation: true,
      services: ['web', 'api'].map(name => ({
        name,
        containers: [{ dockerName: 'web', dockerTag: '1' }],
      })),
    }),
  })
  const stateDir = await mkdtemp(join(tmpdir(), 'tallyman-state-'))
  stack.defer(() => rm(stateDir, { recursive: true, force: true }))
  const config = loadConfig(
    { repository: repository.url, stateDir },
    { TALLYMAN_REGISTRY: registry.host, TALLYMAN_HEALTHY_TIME: '0s' },
  )
  const endpoint = `unix://${engine.socket}`
  const sites = [asSite({ name: 'local', endpoint })]
  // The holder of a claim looks from time to time, whatever passes do.
  const claiming = { pace: { lookMs: 1e9 } }
  const parts = openParts({ ...config, sites, images: { prune, keep: 4 } }, undefined, claiming)
  stack.defer(() => parts.close())
  const log = createLog({ level: 'error', format: 'json', stream: process.stderr })
  const world = worldOf({ ...parts, config }, environment, log)
  const look = async () => (await round(world, poll, new AbortController().signal)).outcome

  expect([await look(), await look()]).to.deep.equal(['applied', 'in-sync'])
  engine.forgetCalls()
  registry.forgetRequests()
  gitServer.requests.length = 0
  expect(await look()).to.equal('in-sync')
  expect(engine.calls).to.deep.equal(['GET /containers/json'])
  expect(gitServer.requests.map(({ method, service }) => `${method} ${service}`)).to.deep.equal([
    'POST git-upload-pack',
  ])
  expect(registry.requests).to.deep.equal([])
}

const poll: RoundRequest = {
  trigger: 'poll',
  until: 'apply',
  freshness: { maxAgeMs: 0, lastGood: true },
}
