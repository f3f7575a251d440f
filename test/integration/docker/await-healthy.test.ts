import { expect } from 'chai'
import { exits } from '../../support/images.ts'
import { sideBySide } from '../../support/side-by-side.ts'
import { testSite } from './site.ts'

const check = (line: string) => ({ test: ['CMD-SHELL', line], intervalMs: 100, timeoutMs: 5_000, retries: 1 })

describe('await-healthy on a real engine', () => {
  const it = sideBySide()

  it("G12 passes when the image's health check does", async () => {
    await using site = await testSite()
    const { container } = await site.create(await site.push({ healthcheck: check('true') }))
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 60_000, timeoutMs: 30_000 },
    )
    const { containers } = await site.engine.observe(site.provenance, site.signal)
    expect(containers[0]?.health).to.equal('healthy')
  })

  it('G12 fails with what the health check said, secrets left out', async () => {
    await using site = await testSite()
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

  it('G12 gives up in time and says how far it came', async () => {
    await using site = await testSite()
    const healthcheck = { kind: 'command', test: ['CMD', 'true'], intervalMs: 60_000 } as const
    const { container } = await site.create(await site.push(), { healthcheck })
    await site.run({ do: 'start-container', container })
    expect(await site.fails({ do: 'await-healthy', container, healthyMs: 0, timeoutMs: 300 })).to.include({
      code: 'health-timeout',
      message: `local: ${container}: not healthy within 0.3 s, still starting`,
    })
  })

  it('G12 passes without a health check after a time without a restart', async () => {
    await using site = await testSite()
    const { container } = await site.create(await site.push())
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 0, timeoutMs: 5_000 },
      { do: 'await-healthy', container, healthyMs: 200, timeoutMs: 5_000 },
    )
  })

  it('G12 fails with exit code and last lines of a container that ends', async () => {
    await using site = await testSite()
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
    await using site = await testSite()
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

  it('says that a container is gone', async () => {
    await using site = await testSite()
    const container = `${site.provenance.environment}.web.1`
    const failure = await site.fails({ do: 'await-healthy', container, healthyMs: 0, timeoutMs: 1_000 })
    expect(failure).to.include({ code: 'container-missing', resource: container })
  })

  it('G12 ends at once when it is told to', async () => {
    await using site = await testSite()
    const { container } = await site.create(await site.push())
    await site.run({ do: 'start-container', container })
    const step = { do: 'await-healthy', container, healthyMs: 60_000, timeoutMs: 60_000 } as const
    const told = new AbortController()
    const waiting = site.engine.execute(step, site.provenance, told.signal).catch((error: unknown) => error)
    told.abort()
    expect(await waiting).to.have.property('code', 'interrupted')
  })
})
