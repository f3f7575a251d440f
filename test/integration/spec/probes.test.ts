import { expect } from 'chai'
import type { Instance } from '../../../lib/state/application/application.ts'
import type { Container } from '../../../lib/state/application/container/container.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { type PushedImage, serves } from '../../support/images/images.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { service } from '../../unit/spec/built.ts'
import { type TestSite, testSite } from '../docker/site.ts'

describe('probes that a sandbox tries, on a real engine', () => {
  const it = sideBySide()

  it('A44 says what is not ready, and is healthy when everything is', async () => {
    await using site = await testSite()
    const at = await up(site, '{readiness: {http: {path: /ready, port: 8080}, period: 1s}}')
    expect(await at.health('says 404', ({ output }) => output.includes('404'))).to.deep.equal({
      status: 'starting',
      output: 'web: readiness probe fails: status 404',
    })
    await at.run('touch /www/ready')
    expect(await at.health('is healthy', ({ status }) => status === 'healthy')).to.deep.equal({
      status: 'healthy',
      output: '',
    })
    await at.run('rm /www/ready')
    expect(await at.health('is unhealthy', ({ status }) => status === 'unhealthy')).to.include({
      output: 'web: readiness probe fails: status 404',
    })
  })

  it('A44 asks for a restart when a container lives no more, and takes that back when it does', async () => {
    await using site = await testSite()
    const at = await up(
      site,
      '{liveness: {http: {path: /live, port: 8080}, period: 1s, failure-threshold: 2}}',
      'touch /www/live;',
    )
    await at.health('is healthy', ({ status }) => status === 'healthy')
    const before = await at.clock()
    await at.run('rm /www/live')
    const { output } = await at.health('asks for a restart', ({ output }) => output !== '')
    const [, asked = ''] = /^restart web (\d+) liveness: status 404$/.exec(output) ?? []
    expect(Number(asked), output).to.be.within(before, await at.clock())
    await at.run('touch /www/live')
    await at.health('is healthy again', ({ status }) => status === 'healthy')
  })

  it('A44 holds liveness and readiness back until the startup probe passed', async () => {
    await using site = await testSite()
    const at = await up(
      site,
      '{startup: {tcp: {port: 9090}, period: 1s, failure-threshold: 1000}, liveness: {tcp: {port: 9091}, period: 1s, failure-threshold: 1}}',
    )
    expect(await at.health('says refused', ({ output }) => output.includes('refuses'))).to.include({
      output: 'web: startup probe fails: port 9090 refuses the connection',
    })
    await at.run('httpd -p 9090 -h /www')
    const { output } = await at.health('asks for a restart', ({ output }) => output.includes('restart'))
    expect(output).to.match(/^restart web \d+ liveness: port 9091 refuses the connection$/m)
  })

  it('A44 takes a redirect for an answer and does not follow it', async () => {
    await using site = await testSite()
    const at = await up(
      site,
      '{readiness: {http: {path: /directory, port: 8080}, period: 1s}}',
      'mkdir /www/directory;',
    )
    await at.health('is healthy', ({ status }) => status === 'healthy')
    expect(await at.run('wget -q -O /dev/null http://127.0.0.1:8080/directory 2>&1')).to.include('404')
  })

  for (const scheme of ['http', 'https'])
    it(`A44 gives up on an answer over ${scheme} that does not come, and leaves no process behind`, async () => {
      await using site = await testSite()
      const at = await up(
        site,
        `{readiness: {http: {port: 9090, scheme: ${scheme}}, period: 1s}}`,
        'nc -ll -p 9090 -e sleep 1000 &',
      )
      expect(await at.health('says no answer', ({ output }) => output.includes('answer'))).to.include({
        output: 'web: readiness probe fails: port 9090 gives no answer within 1 s',
      })
      await waitUntil(
        'several tries',
        async () => Number(await at.run('ps -o args | grep -c "sleep 100[0]"')) > 3,
      )
      const left = (await at.run('ps -o args')).split('\n').filter(line => /^(wget|ssl_client)/.test(line))
      expect(left.length, left.join()).to.be.lessThan(3)
    })

  it('C50 reaps what containers leave behind, and ends at once when it is told to', async () => {
    await using site = await testSite()
    const at = await up(site, '{readiness: {tcp: {port: 8080}, period: 1s}}')
    await at.run('(sleep 0.1 &)')
    const left = await waitUntil('the orphan is gone', async () => {
      const processes = await at.run('ps -o stat,args')
      return processes.includes('sleep 0.1') || /^Z/m.test(processes) ? false : processes
    })
    expect(left).to.include('httpd')
    await site.run({ do: 'stop-container', container: at.sandbox })
    const { State } = await site.ask(`/containers/${at.sandbox}/json`)
    expect(State, 'it was not killed at the end of its grace period').to.include({ ExitCode: 0 })
  })
})

type Up = {
  readonly sandbox: string
  /** The first thing the health check of the sandbox says that is as wanted. */
  health(what: string, isWanted: (health: Said) => boolean): Promise<Said>
  /** The time of day in the member, in whole seconds. */
  clock(): Promise<number>
  /** Runs a line in the member, and returns what it printed. */
  run(line: string): Promise<string>
}

type Said = { readonly status: string; readonly output: string }

/** An instance with these probes on a member that serves /www on port 8080, after `before` ran in it. */
async function up(site: TestSite, probes: string, before = ''): Promise<Up> {
  const { instance, problems } = service(`probes: ${probes}`)
  expect(problems).to.deep.equal([])
  const image = await site.push({ files: { '/www/index.html': 'ok' } })
  const { container: sandbox } = await site.create(image, pinned(sandboxOf(instance), image), {
    role: 'sandbox',
    suffix: '.sandbox',
  })
  await site.run({ do: 'start-container', container: sandbox })
  const [shell = 'sh', flag = '-c', line = ''] = serves(8080)
  const { container: member } = await site.create(
    image,
    { command: [shell, flag, `${before} ${line}`] },
    { suffix: '.web', joins: { sandbox, processes: true } },
  )
  await site.run({ do: 'start-container', container: member })
  return {
    sandbox,
    health: (what, isWanted) =>
      waitUntil(what, async () => {
        const said = saidBy(await site.ask(`/containers/${sandbox}/json`))
        return isWanted(said) && said
      }),
    clock: async () => Number(await runIn(site, member, 'date +%s')),
    run: line => runIn(site, member, line),
  }
}

function sandboxOf(instance: Instance | undefined): Container {
  if (instance?.sandbox === undefined) throw new Error('the instance has no sandbox')
  return instance.sandbox
}

function pinned(container: Container, { reference, digest }: PushedImage): Container {
  return { ...container, image: { reference, pin: { state: 'pinned', digest } } }
}

function saidBy({ State }: Readonly<Record<string, unknown>>): Said {
  const { Status, Log } = Object(Object(State).Health)
  const last = Array.isArray(Log) ? Log.at(-1) : undefined
  return { status: String(Status), output: String(last?.Output ?? '').trim() }
}

async function runIn(site: TestSite, container: string, line: string): Promise<string> {
  const created = await engineCall(site.socket, 'POST', `/containers/${container}/exec`, {
    Cmd: ['sh', '-c', line],
    AttachStdout: true,
    Tty: true,
  })
  const { Id } = JSON.parse(created.body.toString())
  const { body } = await engineCall(site.socket, 'POST', `/exec/${Id}/start`, { Detach: false, Tty: true })
  return body.toString()
}
