import { expect } from 'chai'
import type { Ground } from '../../faults/pass/ground.ts'
import { hasNoUnusedFiles, image, surviveEveryStep, web } from '../../faults/pass/on-swarm.ts'
import type { Side } from '../../faults/pass/survive.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { swarmApart } from '../../support/engine/swarm-nodes.ts'
import { pushImage } from '../../support/images/images.ts'

/** A real one brings about what it was told while nobody looks, and its hooks are tasks of their own. */
describe('a pass over a real Docker Swarm that is killed at any step', () => {
  const machine = swarmApart()

  before(async () => {
    for (const tag of ['1', '2']) await pushImage(machine.registry, image, tag, { env: { TAG: tag } })
  })

  it('H22 of a replacement goes on, runs its hook once, and leaves nothing of that and no file of the old', async () => {
    const side = (tag: string): Side => ({
      ...web(tag, { pre: { failurePolicy: 'Abort', execNewPod: { containerName: 'web', ...note } } }),
      check: async ground => {
        await hasNoUnusedFiles(ground)
        const told = await notesOf(ground)
        expect(told, 'which hooks ran').to.deep.equal(told.map((_, at) => `${(at % 2) + 1}`))
        expect(told.at(-1), 'the last hook').to.equal(tag)
      },
    })
    const moments = await surviveEveryStep(machine, {
      before: side('1'),
      after: side('2'),
      ends: 'done',
      networks: ['web'],
      next: 'back and forth',
      lanes: 2,
    })
    expect(moments).to.deep.equal([
      'find-image',
      'create-job',
      'run-to-end',
      'update-service',
      'await-service',
      'put-away',
      'forget-files',
    ])
  })

  const note = { command: ['sh', '-c'], args: ['echo $TAG >> /log/told'], volumes: ['log'] }

  async function notesOf(ground: Ground): Promise<readonly string[]> {
    const filters = {
      label: [`com.docker.swarm.service.name=${ground.environment}_web`],
      status: ['running'],
    }
    const path = `/containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`
    const [one]: readonly { readonly Id: string }[] = JSON.parse(
      JSON.stringify(await engineGet(machine.dockerSocket, path)),
    )
    if (one === undefined) throw new Error('one runs')
    return (await execIn(machine.dockerSocket, one.Id, 'cat /log/told')).trim().split('\n')
  }
})
