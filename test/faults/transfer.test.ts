import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { removeImagesOf } from '../support/engine/clean-up.ts'
import { type GitServer, startGitServer } from '../support/git/git-server.ts'
import { createRepository } from '../support/git/repository.ts'
import { pushImage } from '../support/images/images.ts'
import { type TestMachine, testMachine, uniqueName } from '../support/suite/env.ts'
import { type Ground, prepareGround } from './pass/ground.ts'
import type { Point } from './pass/point.ts'
import { stallBefore } from './pass/stall.ts'

describe('a pass that is killed while something is transferred', () => {
  let machine: TestMachine
  const image = uniqueName('faults')
  const services = [{ name: image, containers: [{ dockerTag: '1' }] }]
  /** Takes a while to transfer: it cannot be compressed. */
  const large = randomBytes(300_000).toString('base64')

  before(async () => {
    machine = await testMachine()
    await pushImage(machine.registry, image, '1')
  })

  it('G19 reads the commit whatever the git store was left like', async () => {
    await using server = await startGitServer()
    const moments = await Promise.all([dieAtFiles(server, 'before'), dieAtFiles(server, 'after')])
    expect(moments.flat().length).to.be.at.least(8)
  })

  it('G19 fetches again when it died in the middle of a fetch', async () => {
    await using server = await startGitServer()
    await using stall = await stallBefore(new URL(server.url).host)
    await using repository = await createRepository(server)
    const url = repository.url.replace(new URL(server.url).host, stall.host)
    await using ground = await prepareGround(machine, { repository: url })
    await repository.commit({ ...manifestIn(ground), large })
    for (const bytes of [0, 1_000, 100_000, 200_000]) {
      const victim = await ground.crash(stall.after(bytes))
      expect(victim.killed, `killed after ${bytes} bytes: ${victim.err}`).to.equal(true)
      stall.release()
    }
    await expectPlanned(ground, 'after 200000 bytes')
  })

  it('G1 pulls again when it died in the middle of a pull', async () => {
    await pushImage(machine.registry, image, '1', { files: { '/large': large } })
    await using stall = await stallBefore(machine.registry.host)
    await using ground = await prepareGround(machine, { registry: stall.host })
    await using _ = { [Symbol.asyncDispose]: () => removeImagesOf(machine.dockerSocket, stall.host) }
    await ground.write({ services })
    const victim = await ground.crash(stall.after(150_000))
    expect([victim.killed, victim.out], victim.err).to.deep.equal([true, ''])
    expect(await ground.containers()).to.deep.equal([])
    stall.release()
    const run = await ground.tallyman('apply')
    expect(run.code, run.err).to.equal(0)
    expect((await ground.containers()).map(({ text }) => text)).to.deep.equal([`${image} ${image}:1 running`])
  })

  /** Dies at the first call on the git store's files, the second, and so on, each time in an environment of its own. */
  async function dieAtFiles(server: GitServer, when: Point['when']): Promise<readonly string[]> {
    await using repository = await createRepository(server)
    const moments: string[] = []
    for (;;) {
      await using ground = await prepareGround(machine, { repository: repository.url })
      await repository.commit(manifestIn(ground))
      const victim = await ground.crash({ kind: 'file', index: moments.length, when })
      if (!victim.killed) return moments
      const moment = `${when} ${victim.out}`
      moments.push(moment)
      await expectPlanned(ground, moment)
    }
  }

  function manifestIn({ environment }: Ground): Record<string, string> {
    return { [`environments/${environment}/manifest.json`]: JSON.stringify({ services }) }
  }

  async function expectPlanned(ground: Ground, moment: string): Promise<void> {
    const { plan, errors } = await ground.look('plan')
    expect(errors, moment).to.deep.equal([])
    expect(plan?.changes.map(({ action }) => action)).to.deep.equal(['create'])
  }
})
