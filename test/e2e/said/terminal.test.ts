import { expect } from 'chai'
import { createScene, idsOf, service } from '../../scenes/scene.ts'
import { atTerminal } from '../../support/command/pseudo-terminal.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const question = 'Apply this plan? Only "yes" is accepted:'
const enter = '\r'
const ctrlC = '\x03'

describe('apply at a terminal', () => {
  const it = sideBySide()

  it('G7 shows the plan, asks, and applies on "yes"', async () => {
    await using scene = await createScene()
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    await using terminal = atTerminal(scene.tallyman, 'apply')
    await terminal.shows(question)
    expect(terminal.shown()).to.include('Plan: 1 to create, 0 to replace, 0 to remove.')
    expect(await scene.containers()).to.deep.equal([])
    terminal.type(`yes${enter}`)
    expect(await terminal.ended, terminal.shown()).to.equal(0)
    expect((await scene.containers()).map(({ state }) => state)).to.deep.equal(['running'])
  })

  for (const [what, keys] of [
    ['"y"', `y${enter}`],
    ['an empty line', enter],
    ['Ctrl-C', ctrlC],
  ] as const) {
    it(`G7 ${what} is not yes: nothing is touched, exit code 1`, async () => {
      await using scene = await createScene()
      await scene.push('web', '1')
      await scene.commit({ services: [service('web', '1')] })
      await using terminal = atTerminal(scene.tallyman, 'apply')
      await terminal.shows(question)
      terminal.type(keys)
      expect(await terminal.ended, terminal.shown()).to.equal(1)
      expect(await scene.containers()).to.deep.equal([])
    })
  }

  it('D3 asks for removals once more', async () => {
    await using scene = await createScene()
    await Promise.all([scene.push('web', '1'), scene.push('web', '2', { env: { V: '2' } })])
    await scene.push('api', '1')
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    await scene.tallyman.run('apply', '--yes')
    await scene.commit({ services: [service('web', '2')] })
    await using terminal = atTerminal(scene.tallyman, 'apply')
    await terminal.shows(question)
    terminal.type(`yes${enter}`)
    await terminal.shows('Also remove')
    terminal.type(`no${enter}`)
    await terminal.ended
    const containers = await scene.containers()
    expect(idsOf(containers, 'api')).to.have.length(1)
    const [web] = containers.filter(({ service }) => service === 'web')
    expect(web?.labels).to.include({ 'tallyman.image': `${scene.prefix}/web:2` })
  })

  it('G12 Ctrl-C during an apply ends within seconds and says what is left', async () => {
    await using scene = await createScene({ config: { healthyTime: '9m' } })
    await scene.push('web', '1')
    await scene.commit({ services: [service('web', '1', '1')] })
    await using terminal = atTerminal(scene.tallyman, 'apply', '--yes')
    await waitUntil('it waits for health', async () => {
      const containers = await scene.containers()
      return containers.some(({ state }) => state === 'running')
    })
    terminal.type(ctrlC)
    expect(await terminal.ended, terminal.shown()).to.equal(1)
    expect(terminal.shown()).to.include('not done')
  })
})
