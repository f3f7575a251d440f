import { expect } from 'chai'
import type { PostMortem } from '../../../../lib/state/pass/post-mortem.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { exits } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { testSite } from '../site.ts'

const check = (line: string) => ({ test: ['CMD-SHELL', line], intervalMs: 100, timeoutMs: 5_000, retries: 1 })

forEachEngine('await-healthy', (engine, decisions) => {
  const it = sideBySide()
  const itDecides = decisions(it)

  it("G12 passes when the image's health check does", async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ healthcheck: check('true') }))
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 60_000, timeoutMs: 30_000 },
    )
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]?.health).to.equal('healthy')
  })

  it('G12 fails with what the health check said, secrets left out', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push(), {
      env: { PASSWORD: 'hunter22' },
      healthcheck: { kind: 'command', ...check('echo "no database for $PASSWORD"; exit 1') },
    })
    await site.run({ do: 'start-container', container })
    expect(await site.fails({ do: 'await-healthy', container, healthyMs: 0, timeoutMs: 30_000 })).to.include({
      code: 'unhealthy',
      message: `local: ${container}: its health check fails: no database for [REDACTED]`,
    })
  })

  itDecides('G12 gives up in time and says how far it came', async () => {
    await using site = await testSite(engine)
    const healthcheck = { kind: 'command', test: ['CMD', 'true'], intervalMs: 60_000 } as const
    const { container } = await site.create(await site.push(), { healthcheck })
    await site.run({ do: 'start-container', container })
    expect(await site.fails({ do: 'await-healthy', container, healthyMs: 0, timeoutMs: 300 })).to.include({
      code: 'health-timeout',
      message: `local: ${container}: not healthy within 0.3 s, still starting`,
    })
  })

  it('G12 passes without a health check after a time without a restart', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 0, timeoutMs: 5_000 },
      { do: 'await-healthy', container, healthyMs: 200, timeoutMs: 5_000 },
    )
  })

  itDecides('G12 counts the time for which it has run before only where the step says so', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    const isUpFor = async (ms: number) => {
      const { State } = await site.ask(`/containers/${container}/json`)
      const { SystemTime } = await site.ask('/info')
      return Date.parse(String(SystemTime)) - Date.parse(Object(State).StartedAt) > ms
    }
    const step = { do: 'await-healthy', container, healthyMs: 2_000, timeoutMs: 300 } as const
    await waitUntil('it has run for two seconds', () => isUpFor(2_000))
    await site.run({ ...step, ranBefore: true })
    expect(await site.fails(step)).to.include({ code: 'health-timeout' })
  })

  it('G12 fails with exit code and last lines of a container that ends', async () => {
    await using site = await testSite(engine)
    const cmd = ['sh', '-c', 'echo starting; sleep 0.2; echo "no \x1b[1mdatabase" >&2; exit 3']
    const { container } = await site.create(await site.push({ cmd }))
    await site.run({ do: 'start-container', container })
    expect(
      await site.fails({ do: 'await-healthy', container, healthyMs: 5_000, timeoutMs: 10_000 }),
    ).to.include({
      code: 'exited-early',
      message: `local: ${container}: exited with code 3: starting | no database`,
    })
  })

  it('G12 does not take a crash loop for health', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push({ cmd: exits(1, 100) }), {
      restart: { name: 'always' },
    })
    await site.run({ do: 'start-container', container })
    const failure = await site.fails({
      do: 'await-healthy',
      container,
      healthyMs: 5_000,
      timeoutMs: 10_000,
    })
    expect(failure.code).to.equal('exited-early')
  })

  itDecides(
    'G12 fails at the third end of a process that has a health check, and says how often and how it ended',
    async () => {
      await using site = await testSite(engine)
      const cmd = ['sh', '-c', 'echo no database; exit 3']
      const { container } = await site.create(await site.push({ cmd, healthcheck: check('true') }), {
        restart: { name: 'always' },
      })
      await site.run({ do: 'start-container', container })
      const { code, message } = await site.fails({
        do: 'await-healthy',
        container,
        healthyMs: 0,
        timeoutMs: 60_000,
      })
      expect(code).to.equal('exited-early')
      expect(message).to.match(/: ended \d times, last with code 3: no database( \| no database)+$/)
    },
  )

  it('G12 H9 keeps how a container ended, and the last 200 lines without secrets', async () => {
    await using site = await testSite(engine)
    const cmd = ['sh', '-c', 'seq 1 300; echo "key $PASSWORD"; exit 137']
    const { container } = await site.create(await site.push({ cmd }), { env: { PASSWORD: 'hunter22' } })
    await site.run({ do: 'start-container', container })
    await site.fails({ do: 'await-healthy', container, healthyMs: 5_000, timeoutMs: 10_000 })
    const [{ lines, ...rest }] = site.postMortems as [PostMortem]
    expect(rest).to.deep.equal({
      container,
      exitCode: 137,
      signal: 'SIGKILL',
      oomKilled: false,
      restarts: 0,
      checks: [],
    })
    expect([lines.length, lines[0], lines.at(-1)]).to.deep.equal([200, '102', 'key [REDACTED]'])
  })

  it('G12 keeps what the containers in a sandbox said whose probe failed', async () => {
    await using site = await testSite(engine)
    const fails = check('echo "restart app 1700000000 startup: refused"; exit 1')
    const image = await site.push({ cmd: ['sh', '-c', 'echo not ready; sleep 1000'] })
    const sandbox = await site.create(
      await site.push(),
      { name: 'sandbox', healthcheck: { kind: 'command', ...fails } },
      { role: 'sandbox', suffix: '.sandbox' },
    )
    const app = await site.create(image, { name: 'app' }, { role: 'app', suffix: '.app' })
    await site.run({ do: 'start-container', container: app.container })
    await waitUntil('it has spoken', async () => (await site.log(app.container)).includes('not ready'))
    await site.run({ do: 'start-container', container: sandbox.container })
    const step = {
      do: 'await-healthy',
      container: sandbox.container,
      healthyMs: 0,
      timeoutMs: 30_000,
    } as const
    expect((await site.fails(step)).message).to.include('app: startup probe fails: refused')
    expect(site.postMortems.map(({ container, lines }) => [container, lines])).to.deep.equal([
      [app.container, ['not ready']],
    ])
  })

  it('says that a container is gone', async () => {
    await using site = await testSite(engine)
    const container = `${site.provenance.environment}.web.1`
    const failure = await site.fails({ do: 'await-healthy', container, healthyMs: 0, timeoutMs: 1_000 })
    expect(failure).to.include({ code: 'container-missing', resource: container })
  })

  itDecides('G12 ends at once when it is told to', async () => {
    await using site = await testSite(engine)
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    const step = { do: 'await-healthy', container, healthyMs: 60_000, timeoutMs: 60_000 } as const
    const told = new AbortController()
    const waiting = site.engine.execute(step, site.provenance, told.signal).catch((error: unknown) => error)
    told.abort()
    expect(await waiting).to.have.property('code', 'interrupted')
  })
})
