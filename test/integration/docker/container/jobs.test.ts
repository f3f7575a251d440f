import { expect } from 'chai'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { exits, type PushedImage, staysUp } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

/** Runs a failing job under this fingerprint and puts it away. */
async function putAwayFailed(site: TestSite, image: PushedImage, suffix: string, keep: number) {
  const { container } = await site.create(image, {}, { role: 'hook', suffix })
  await site.run(
    { do: 'run-to-end', container, onFailure: 'ignore' },
    { do: 'put-away', container, keep },
    { do: 'put-away', container, keep },
  )
}

async function namesOf(site: TestSite): Promise<readonly string[]> {
  const { containers } = await site.engine.observe(site.provenance, site.signal)
  const base = `${site.provenance.environment}.web.1.0123abcd`
  return containers.map(({ engineName }) => engineName.replace(base, 'job'))
}

forEachEngine('jobs', (engine, decisions) => {
  const it = sideBySide()
  const itDecides = decisions(it)

  it('H9 removes what ended well, and what never began', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: exits(0) })
    const done = await site.create(image, {}, { role: 'hook', suffix: '.pre' })
    const fresh = await site.create(image, {}, { role: 'hook', suffix: '.post' })
    await site.run({ do: 'run-to-end', container: done.container, onFailure: 'abort' })
    for (const { container } of [done, fresh]) await site.run({ do: 'put-away', container, keep: 3 })
    expect(await namesOf(site)).to.deep.equal([])
  })

  it('H9 keeps the last few that failed, under another name', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: exits(3) })
    for (const suffix of ['.a', '.b', '.c']) await putAwayFailed(site, image, suffix, 2)
    const [second, third, ...more] = await namesOf(site)
    expect(second).to.match(/^job\.b\.kept-[0-9a-f]{6}$/)
    expect(third).to.match(/^job\.c\.kept-[0-9a-f]{6}$/)
    expect(more).to.deep.equal([])
  })

  itDecides(
    'H9 leaves what was put away before as it is, so that it can be removed under its name',
    async () => {
      await using site = await testSite(engine)
      await putAwayFailed(site, await site.push({ cmd: exits(3) }), '.a', 1)
      const [kept] = await site.containers()
      const container = kept?.engineName ?? ''
      await site.run({ do: 'put-away', container, keep: 1 }, { do: 'remove-container', container })
      expect(await namesOf(site)).to.deep.equal([])
    },
  )

  itDecides('H9 keeps none where none is to be kept', async () => {
    await using site = await testSite(engine)
    await putAwayFailed(site, await site.push({ cmd: exits(3) }), '.a', 0)
    expect(await namesOf(site)).to.deep.equal([])
  })

  itDecides('H9 counts the failed jobs of a service apart from those of others', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: exits(3) })
    const other = await site.create(image, {}, { role: 'deploy', suffix: '.other', service: 'worker' })
    await site.run(
      { do: 'run-to-end', container: other.container, onFailure: 'ignore' },
      { do: 'put-away', container: other.container, keep: 1 },
    )
    await putAwayFailed(site, image, '.a', 1)
    expect(await namesOf(site)).to.have.lengthOf(2)
  })

  it('H6 stops a hook of a rollout that was given up, and removes it', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: staysUp })
    const { container } = await site.create(image, {}, { role: 'hook', suffix: '.pre' })
    await site.run(
      { do: 'start-container', container },
      { do: 'abort-hook', container },
      { do: 'abort-hook', container },
    )
    expect(await namesOf(site)).to.deep.equal([])
  })

  it('H6 stops a hook that still runs before it is put away', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: staysUp }), {}, { role: 'hook' })
    await site.run({ do: 'start-container', container }, { do: 'put-away', container, keep: 0 })
    expect(await namesOf(site)).to.deep.equal([])
  })

  it('P7 waits for the end of a deploy that still runs before it is put away', async () => {
    await using site = await testSite(engine)
    const cmd = ['sh', '-c', 'trap "exit 9" TERM; until [ -e /tmp/go ]; do sleep 0.05; done']
    const { container } = await site.create(await site.push({ cmd }), {}, { role: 'deploy' })
    await site.run({ do: 'start-container', container })
    const away = site.run({ do: 'put-away', container, keep: 1 })
    await site.put(container, '/tmp', 'go')
    await away
    expect(await namesOf(site)).to.deep.equal([])
  })

  it('P7 waits for the end of a deploy that failed and starts it not again', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: exits(3, 200) }), {}, { role: 'deploy' })
    await site.run({ do: 'await-end', container })
    expect((await site.ask(`/containers/${container}/json`))['State']).to.include({ Status: 'created' })
    await site.run({ do: 'start-container', container }, { do: 'await-end', container })
    expect((await site.ask(`/containers/${container}/json`))['State']).to.include({
      Status: 'exited',
      ExitCode: 3,
    })
    await site.run({ do: 'await-end', container: 'nobody' })
  })

  it('G10 neither aborts, puts away nor restarts what is not ours', async () => {
    await using site = await testSite(engine)
    const image = await site.push({ cmd: staysUp })
    const container = `${site.provenance.environment}-foreign`
    const Labels = { 'tallyman.environment': site.provenance.environment, 'tallyman.source': 'elsewhere' }
    await site.run({ do: 'pull-image', reference: image.reference, digest: image.digest })
    await site.foreign(`/containers/create?name=${container}`, { Image: image.pinned, Labels })
    await site.foreign(`/containers/${container}/start`, undefined)
    const before = (await site.ask(`/containers/${container}/json`))['State']
    await site.run({ do: 'abort-hook', container }, { do: 'put-away', container, keep: 0 })
    expect((await site.fails({ do: 'restart-container', container })).code).to.equal('name-taken')
    expect((await site.ask(`/containers/${container}/json`))['State']).to.deep.equal(before)
  })
})
