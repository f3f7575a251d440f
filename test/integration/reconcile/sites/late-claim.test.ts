import { expect } from 'chai'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { atTerminal } from '../../../support/command/pseudo-terminal.ts'
import { createTallymanHere } from '../../../support/command/tallyman-here.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene, type Scene } from '../scene.ts'

/** The calls that make or remove a volume, in order: `create 1`, `remove wrote`. */
function writesIn({ engine }: Scene): readonly string[] {
  return engine.calls.flatMap(call => {
    if (call === 'POST /volumes/create') return ['create']
    const [, kind] = /^DELETE \/volumes\/tallyman-claim-[\da-f]{32}-(wrote|ask|\d+)/.exec(call) ?? []
    return kind === undefined ? [] : [`remove ${kind}`]
  })
}

/** How often the volumes of claims were listed: whoever lists those of an environment lists its networks, too. */
function listsIn({ engine }: Scene): number {
  const count = (wanted: string) => engine.calls.filter(call => call === wanted).length
  return count('GET /volumes') - count('GET /networks')
}

/** The volumes of claims on the engine, by what they are: `1`, `wrote`. */
async function claimsOn({ engine }: Scene): Promise<readonly string[]> {
  const { Volumes }: { Volumes: readonly { Name: string }[] } = JSON.parse(
    JSON.stringify(await engine.ask('GET /volumes')),
  )
  return Volumes.flatMap(({ Name }) => /^tallyman-claim-[\da-f]{32}-(wrote|ask|\d+)/.exec(Name)?.[1] ?? [])
}

const imagesOf = async (scene: Scene) =>
  (await scene.containers()).map(({ labels }) => labels['tallyman.image']?.split('/').at(-1)).sort()

/** What runs is web 1 and api 1. The newest commit wants web 2 in place of that, and `theirs`, the one before, api 2. */
async function twoCommits(stack: AsyncDisposableStack) {
  const scene = stack.use(await createScene())
  for (const name of ['web', 'api']) for (const tag of ['1', '2']) scene.push(name, tag, { env: { V: tag } })
  const both = (web: string, api: string) =>
    scene.commit({ services: [service('web', web), service('api', api)] })
  await both('1', '1')
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  const theirs = await both('1', '2')
  await both('2', '1')
  return { scene, theirs }
}

describe('apply on an engine on which nobody writes', () => {
  const it = sideBySide()

  it('D17 G2 asks once who wrote for the plan and once for the pass if there is nothing to change, and makes no volume', async () => {
    await using scene = await createScene()
    scene.push('web', '1')
    await scene.commit({ services: [service('web', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    scene.engine.forgetCalls()
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    expect([listsIn(scene), writesIn(scene)]).to.deep.equal([2, []])
    expect(await claimsOn(scene)).to.deep.equal(['wrote'])
  })

  it('D17 makes a claim and a mark where there is, and leaves the mark alone', async () => {
    await using scene = await createScene()
    for (const tag of ['1', '2']) {
      scene.push('web', tag)
      await scene.commit({ services: [service('web', tag)] })
      scene.engine.forgetCalls()
      expectCode(await scene.tallyman.run('apply', '--yes'), 0)
      expect(await claimsOn(scene)).to.deep.equal(['wrote'])
      const older = tag === '1' ? [] : ['remove wrote']
      expect(writesIn(scene)).to.have.members(['create', 'create', ...older, 'remove 1'])
      expect(writesIn(scene).at(-1)).to.equal('remove 1')
    }
  })

  it('D3 D17 makes none where only a removal is left that nobody has confirmed', async () => {
    await using scene = await createScene()
    for (const name of ['web', 'api']) scene.push(name, '1')
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    await scene.commit({ services: [service('web', '1')] })
    scene.engine.forgetCalls()
    expectCode(await scene.tallyman.run('apply'), 3)
    expect([writesIn(scene), await claimsOn(scene)]).to.deep.equal([[], ['wrote']])
  })

  it('D4 D17 asks again if another one wrote after the plan was shown, and takes none of that back as drift', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene, theirs } = await twoCommits(stack)
    const { directory } = scene.tallyman
    const variables = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }
    const terminal = stack.use(atTerminal({ directory, variables }, 'apply'))
    await terminal.shows('Apply this plan? Only "yes" is accepted:')
    const other = stack.use(await createTallymanHere(scene.config, scene.dockerSocket))
    expectCode(await other.run('apply', '--yes', '--ref', theirs), 0)
    const before = ['api:2', 'web:1']
    expect(await imagesOf(scene)).to.deep.equal(before)
    terminal.type('yes\r')
    await terminal.shows('The desired or the live state has changed since; this is the plan now.')
    await terminal.shows('Plan: 0 to create, 2 to replace, 0 to remove.')
    expect(await imagesOf(scene)).to.deep.equal(before)
  })

  it('D4 D17 shows the plan anew before it carries that out, if another one wrote after the first one was made', async () => {
    await using stack = new AsyncDisposableStack()
    const { scene, theirs } = await twoCommits(stack)
    const other = stack.use(await createTallymanHere(scene.config, scene.dockerSocket))
    const meanwhile = async () => expectCode(await other.run('apply', '--yes', '--ref', theirs), 0)
    scene.engine.faults.set(/GET \/containers\/json/, { heldUntil: meanwhile }, 1)
    const ran = await scene.tallyman.run('apply', '--yes')
    expectCode(ran, 0)
    expect(ran.stdout.match(/^Plan: .*$/gm)).to.deep.equal([
      'Plan: 0 to create, 1 to replace, 0 to remove.',
      'Plan: 0 to create, 2 to replace, 0 to remove.',
    ])
    expect(ran.stderr).to.include('The desired or the live state has changed since; this is the plan now.')
    expect(await imagesOf(scene)).to.deep.equal(['api:1', 'web:2'])
  })

  it('D4 D5 says that it asks nothing where all that waits was confirmed before, and the rest is repaired anyway', async () => {
    await using stack = new AsyncDisposableStack()
    const scene = stack.use(await createScene())
    for (const tag of ['1', '2']) scene.push('web', tag)
    scene.push('api', '1')
    await scene.commit({ services: [service('web', '1'), service('api', '1')] })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const [api] = (await scene.containers()).filter(({ labels }) =>
      labels['tallyman.image']?.includes('/api'),
    )
    await scene.commit({ services: [service('web', '2'), service('api', '1')] })
    const { directory } = scene.tallyman
    const variables = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }
    const terminal = stack.use(atTerminal({ directory, variables }, 'apply'))
    await terminal.shows('Apply this plan? Only "yes" is accepted:')
    await scene.engine.ask(`DELETE /containers/${api?.id}?force=1`)
    terminal.type('yes\r')
    await terminal.shows('The desired or the live state has changed since; this is the plan now.')
    await terminal.shows('It is carried out: what waited in it was confirmed before')
    await terminal.shows('2 of 2 changes done')
    expect(await imagesOf(scene)).to.deep.equal(['api:1', 'web:2'])
  })

  it('D4 ends with 1 once it has shown five plans that were others each time, and has touched nothing', async () => {
    await using scene = await createScene()
    const names = Array.from({ length: 12 }, (_, index) => `web-${index}`)
    for (const name of names) scene.push(name, '1')
    await scene.commit({ services: names.map(name => service(name, '1')) })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const left = (await scene.containers()).map(({ id }) => id)
    const lose = async () => void (await scene.engine.ask(`DELETE /containers/${left.pop()}?force=1`))
    await lose()
    scene.engine.faults.set(/GET \/containers\/json/, { heldUntil: lose })
    scene.engine.forgetCalls()
    const ran = await scene.tallyman.run('apply', '--yes')
    expectCode(ran, 1)
    expect(ran.stdout.match(/^Plan: .*$/gm)).to.have.lengthOf(5)
    expect(ran.stderr).to.match(/the plan is [0-9a-f]{16} now, not [0-9a-f]{16}/)
    expect(scene.engine.calls).not.to.include('POST /containers/create')
    expect(left).to.have.lengthOf(names.length - 11)
  })
})
