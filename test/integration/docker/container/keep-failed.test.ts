import { expect } from 'chai'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { exits, type PushedImage, staysUp } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

forEachEngine('keep-failed', (engine, decisions) => {
  const it = sideBySide()
  const itDecides = decisions(it)

  it('H9 keeps a container that crashes: stopped for good, on no network, under another name', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: exits(3, 100) })
    const { container } = await site.create(image, { restart: { name: 'always' } })
    await site.run({ do: 'start-container', container })
    const step = { do: 'keep-failed', container, keep: 1 } as const
    await site.run(step, step)
    const [kept, ...more] = await site.containers()
    expect(more).to.deep.equal([])
    expect(kept).to.deep.include({ state: 'exited', networks: [], role: 'app' })
    expect(kept?.engineName).to.match(new RegExp(`^${container}\\.kept-[0-9a-f]{6}$`))
    const { HostConfig } = await site.ask(`/containers/${kept?.id}/json`)
    expect(HostConfig).to.deep.include({ RestartPolicy: { Name: 'no', MaximumRetryCount: 0 } })
  })

  itDecides('H9 keeps the newest of each service and container, apart from its jobs', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: exits(3) })
    const hook = await site.create(image, {}, { role: 'hook', suffix: '.pre' })
    await site.run(
      { do: 'run-to-end', container: hook.container, onFailure: 'ignore' },
      { do: 'put-away', container: hook.container, keep: 3 },
    )
    for (const suffix of ['.a', '.b', '.c']) await failed(site, image, suffix)
    const names = (await site.containers()).map(({ engineName }) =>
      engineName.replace(/^.*0123abcd|-[0-9a-f]{6}$/g, ''),
    )
    expect(names).to.deep.equal(['.b.kept', '.c.kept', '.pre.kept'])
  })

  it('H9 removes what never ran, and what is healthy', async () => {
    await using site = await testSite(engine)
    const fresh = await site.create(await site.push({ cmd: staysUp }), {}, { suffix: '.fresh' })
    const healthcheck = { test: ['CMD', 'true'], intervalMs: 100 }
    const healthy = await site.create(await site.push({ cmd: staysUp, healthcheck }), {}, { suffix: '.well' })
    await site.run(
      { do: 'start-container', container: healthy.container },
      { do: 'await-healthy', container: healthy.container, healthyMs: 0, timeoutMs: 30_000 },
      { do: 'keep-failed', container: fresh.container, keep: 3 },
      { do: 'keep-failed', container: healthy.container, keep: 3 },
    )
    expect(await site.containers()).to.deep.equal([])
  })

  it('G10 leaves alone what is not ours', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: staysUp })
    const { container } = await site.create(image, {}, { suffix: '.ours' })
    const other = `${site.provenance.environment}.theirs`
    await site.foreign(`/containers/create?name=${other}`, { Image: image.pinned })
    await site.run({ do: 'keep-failed', container: other, keep: 3 })
    expect(await site.ask(`/containers/${other}/json`)).to.include({ Name: `/${other}` })
    expect(container).to.not.equal(other)
  })
})

async function failed(site: TestSite, image: PushedImage, suffix: string): Promise<void> {
  const { container } = await site.create(image, {}, { suffix })
  await site.run({ do: 'start-container', container })
  await site.fails({ do: 'await-healthy', container, healthyMs: 60_000, timeoutMs: 10_000 })
  await site.run({ do: 'keep-failed', container, keep: 2 })
}
