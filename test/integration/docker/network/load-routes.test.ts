import { expect } from 'chai'
import { execIn } from '../../../support/engine/exec-in.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type TestSite, testSite } from '../site.ts'
import { configuration, loadRoutes, proxied } from './proxied.ts'

describe('load-routes on a real engine', () => {
  const it = sideBySide()

  it('P33 changes routes without a restart, and shows in the name what is loaded', async () => {
    await using site = await testSite()
    const { ingress, loaded, get } = await proxied(site)
    const before = await startedAt(site, loaded)
    expect(await get('/which')).to.equal('first')
    const second = loadRoutes(loaded, configuration('second'))
    await site.run(second)
    expect(await get('/which')).to.equal('second')
    const name = `${ingress.container}.routes-${second.routing.mark}`
    expect(await startedAt(site, name)).to.equal(before)
    // Under the name that was seen before a crash, under the one it was made with, and under its own.
    for (const container of [loaded, ingress.container, name]) await site.run({ ...second, container })
    expect(await startedAt(site, name)).to.equal(before)
  })

  it('P33 goes on with what it had when a configuration is refused, and says why', async () => {
    await using site = await testSite()
    const { loaded, get } = await proxied(site)
    const before = await startedAt(site, loaded)
    const bad = configuration('bad').replace('"reverse_proxy"', '"reverse_porxy"')
    const { code, message, resource } = await site.fails(loadRoutes(loaded, bad))
    expect({ code, resource }).to.deep.equal({ code: 'routes-refused', resource: loaded })
    expect(message).to.match(/^local: \S+: loading config: .*unknown module: http\.handlers\.reverse_porxy$/)
    expect(await get('/which')).to.equal('first')
    expect(await startedAt(site, loaded)).to.equal(before)
  })

  it('P33 starts with the routes it loaded last, however it ended', async () => {
    await using site = await testSite()
    const { loaded, get } = await proxied(site)
    const before = await startedAt(site, loaded)
    await execIn(site.socket, loaded, 'kill -KILL $(pidof caddy)')
    await waitUntil('it was started again', async () => (await startedAt(site, loaded)) !== before)
    await waitUntil('it answers', async () => (await get('/which').catch(() => '')) === 'first')
  })

  it('P33 says that the ingress is gone, or does not run', async () => {
    await using site = await testSite()
    const gone = loadRoutes('nobody', configuration('first'))
    expect(await site.fails(gone)).to.include({
      code: 'container-missing',
      message: 'local: nobody: it is gone',
    })
    const { loaded } = await proxied(site)
    await site.run({ do: 'stop-container', container: loaded })
    const { code, message } = await site.fails(loadRoutes(loaded, configuration('second')))
    expect(code).to.equal('engine-refused')
    expect(message).to.match(/^local: \S+\.routes-[0-9a-f]{8}: .*is not running$/)
  })
})

/** When a container was started last, in the engine's words. */
async function startedAt(site: TestSite, container: string): Promise<string> {
  const { State } = await site.ask(`/containers/${container}/json`)
  return Object(State).StartedAt
}
