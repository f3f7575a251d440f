import { expect } from 'chai'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, idsOf, jsonText, type Scene, service } from '../../scenes/scene.ts'
import { cleanUp } from '../../support/engine/clean-up.ts'
import { engineGet } from '../../support/engine/engine-call.ts'

describe('whose an environment is', () => {
  it('D17 lets two repositories write to environments of one name, side by side', async () => {
    await using first = await createScene()
    await using _ = cleanUpMarked(first)
    await using second = await createScene()
    const { environment } = first
    const manifest = jsonText({ services: [service('web', '1')] })
    for (const scene of [first, second]) {
      await scene.push('web', '1')
      await scene.repository.commit({ [`environments/${environment}/manifest.json`]: manifest })
    }
    const daemon = await first.tallyman.daemon()
    const { waiting } = await daemon.until('it waits', seen => seen.waiting !== undefined)
    expectCode(await first.tallyman.run('approve', waiting?.plan ?? ''), 0)
    await daemon.until('it runs', seen => seen.sync === 'Synced' && seen.running === undefined)
    const kept = idsOf(await first.containers())
    const applied = await second.tallyman.run(
      'apply',
      '--yes',
      '--output',
      'json',
      '--environment',
      environment,
    )
    expectCode(applied, 0)
    expect(documentOf(applied).environment).to.match(new RegExp(`^${environment}-[0-9a-f]{8}$`))
    expect(documentOf(applied).warnings.map(({ code }) => code)).to.deep.equal(['environment-name-taken'])
    expect(idsOf(await first.containers())).to.deep.equal(kept)
    const again = await second.tallyman.run(
      'plan',
      '--detailed-exitcode',
      '--output',
      'json',
      '--environment',
      environment,
    )
    expectCode(again, 0)
    expect(documentOf(again).warnings).to.deep.equal([])
  })
})

/** At the end of the test, removes what environments left that are called like its own and have a mark. */
function cleanUpMarked(scene: Scene): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      const names = (await allListed(scene)).map(({ Labels }) => Labels['tallyman.environment'] ?? '')
      const marked = new Set(names.filter(name => name.startsWith(`${scene.environment}-`)))
      for (const name of marked) await cleanUp(scene.dockerSocket, name).now()
    },
  }
}

type Listed = { readonly Id: string; readonly Labels: Readonly<Record<string, string>> }

async function allListed({ dockerSocket }: Scene): Promise<readonly Listed[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: ['tallyman.environment'] }))
  return JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, `/containers/json?all=1&filters=${filters}`)),
  )
}
