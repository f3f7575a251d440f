import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { say } from '../../../../lib/cli/client/say.ts'
import { log } from '../../../../lib/cli/commands/log.ts'
import { approve, discard, reconcile, resume, retry, suspend } from '../../../../lib/cli/commands/remote.ts'
import { deleteUpgrade, forceUpgrade } from '../../../../lib/cli/commands/upgrade.ts'
import { createOutput } from '../../../../lib/cli/output/output.ts'
import { connect } from '../../../../lib/docker/connect.ts'
import { serveControl } from '../../../../lib/http/socket.ts'
import { type Journal, openJournal } from '../../../../lib/journal/journal.ts'
import { claimLabels, claimName, claimOn } from '../../../../lib/writer/on-engine/claim.ts'
import { sinks } from '../../../support/command/sinks.ts'
import { refused } from '../../../support/failures/refused.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { simulatedEngine } from '../../../support/simulated/engine.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const files = manifestOf('prod', { web: '1' })
const recorded =
  'No daemon runs. This is recorded, and the next pass heeds it. It is not known whether another tallyman writes on local, which did not answer; it would not learn of this.\n'

describe('what is said while no daemon runs', () => {
  let stateDir = ''
  let journal: Journal
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tallyman-answers-'))
    journal = openJournal(join(stateDir, 'tallyman.sqlite'))
    const local = { name: 'local', endpoint: `unix://${join(stateDir, 'nobody.sock')}` }
    writeFileSync(
      configFile(),
      JSON.stringify({ repository: { url: 'https://git.example.com/ops/manifests' }, sites: [local] }),
    )
  })
  afterEach(() => {
    journal.close()
    rmSync(stateDir, { recursive: true })
  })

  const configFile = () => join(stateDir, 'tallyman.yaml')
  const flags = () => ({ stateDir, config: configFile() })

  /** What a command prints. */
  async function run(command: (output: ReturnType<typeof createOutput>) => Promise<number>) {
    let [out, err] = ['', '']
    const streams = {
      stdin: {},
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    }
    const code = await command(createOutput({ output: 'json' }, streams))
    return { code, said: JSON.parse(out), err }
  }

  /** A daemon makes a pass in which a plan waits, and ends. */
  async function daemonWas(): Promise<string> {
    await using daemon = await memoryDaemon({ files, journal })
    await daemon.pass()
    return journal.waiting('prod')[0]?.planId ?? ''
  }

  it('D4 counts as what is said to a daemon does: the next pass carries out what was approved', async () => {
    const id = await daemonWas()
    const { code, said, err } = await run(output => approve(output, { ...flags(), message: 'go' }, id))
    expect({ code, said, err }).to.deep.equal({
      code: 0,
      said: { approved: id, environment: 'prod', changes: 1, after: 0 },
      err: recorded,
    })
    expect(journal.answers({ limit: 10 })[0]).to.include({
      verb: 'approve',
      about: id,
      via: 'command',
      message: 'go',
    })
    await using daemon = await memoryDaemon({ files, journal })
    await daemon.pass()
    await daemon.pass()
    expect((await daemon.ask('GET /api/v1/environments'))[0].sync).to.equal('Synced')
  })

  it('A31 X20 lets other sites follow canaries as a daemon does, once, and only while somebody is asked about that', async () => {
    const sites = ['local', 'edge'].map(name => ({ name, endpoint: `unix://${join(stateDir, name)}.sock` }))
    const fleet = {
      ...manifestOf('prod', { web: '1' }, { skipConfirmation: true }),
      'deployments/everywhere.yaml':
        'name: everywhere\napplication: web\nplacement: {all-sites: true}\ndeploy-to-sites: {canary-sites: {match-site-labels: system/name = local}, canary-continue-by-action: true}',
    }
    const engines = sites.map(({ name }) => memoryEngine({ site: name, distribution: everyImage }))
    writeFileSync(
      configFile(),
      JSON.stringify({ repository: { url: 'https://git.example.com/ops/manifests' }, sites }),
    )
    const deploymentAfter = async (asks: boolean) => {
      await using daemon = await memoryDaemon({
        ...{ environments: ['prod'], files: fleet, engines, journal },
        config: { sites },
      })
      await waitUntil(`${asks ? 'somebody' : 'nobody'} is asked`, async () => {
        await daemon.pass()
        const [{ deployments }] = await daemon.ask('GET /api/v1/environments')
        return (deployments[0].approve !== undefined) === asks && deployments[0].sites.now === 0
      })
      return (await daemon.ask('GET /api/v1/environments'))[0].deployments[0]
    }
    const { approve: id } = await deploymentAfter(true)
    const { said } = await run(output => approve(output, flags(), id))
    expect(said).to.deep.equal({
      ...{ approved: id, environment: 'prod', changes: 0, after: 0 },
      nextBatch: { deployment: 'everywhere', version: '1' },
    })
    expect(await refused(approve(createOutput({}), flags(), id))).to.match(
      /^plan-answered: .*waits for no word/,
    )
    expect((await deploymentAfter(false)).state).to.equal('done')
  })

  it('G25 is shown by the log, with who said it and by which way', async () => {
    await daemonWas()
    await run(output => suspend(output, { ...flags(), application: 'web', reason: 'moving' }))
    await run(output => resume(output, flags()))
    const { said } = await run(output => log(output, { ...flags(), answers: true, limit: '10' }))
    expect(said.map(({ verb, about, via }: Record<string, string>) => [verb, about, via])).to.deep.equal([
      ['resume', undefined, 'command'],
      ['suspend', 'web', 'command'],
    ])
    const ofWeb = await run(output =>
      log(output, { ...flags(), answers: true, limit: '10', application: 'web' }),
    )
    expect(ofWeb.said.map(({ verb }: Record<string, string>) => verb)).to.deep.equal(['suspend'])
    expect(
      await refused(log(createOutput({}), { ...flags(), answers: true, follow: true, limit: '1' })),
    ).to.equal('wrong-usage: --answers cannot be followed')
  })

  it('D4 is refused as by a daemon: a plan that nobody knows, and one that was answered', async () => {
    const id = await daemonWas()
    expect(await refused(run(output => discard(output, flags(), '0000000000000000')))).to.match(
      new RegExp(`^plan-changed: plan 0000000000000000 does not wait for an answer; these wait: ${id}`),
    )
    await run(output => discard(output, flags(), id))
    expect(await refused(run(output => approve(output, flags(), id)))).to.match(
      /^plan-answered: plan \w+ was discarded by /,
    )
  })

  it('G14 holds what a daemon then reads, and takes back what one was told', async () => {
    await daemonWas()
    const told = await run(output => suspend(output, { ...flags(), reason: 'stocktaking' }))
    expect([told.said, told.err]).to.deep.equal([{ suspended: 'prod' }, recorded])
    expect(journal.suspensions('prod', 0).map(({ reason }) => reason)).to.deep.equal(['stocktaking'])
    expect(
      await refused(run(output => suspend(output, { ...flags(), reason: 'x', application: 'wep' }))),
    ).to.equal('wrong-usage: there is no application "wep"; did you mean "web"?')
    expect((await run(output => resume(output, flags()))).said).to.deep.equal({ resumed: true })
    expect((await run(output => retry(output, flags(), 'web'))).said).to.deep.equal({ released: 0 })
  })

  it('G14 says which applications are still suspended by themselves, if none is named', async () => {
    await daemonWas()
    await run(output => suspend(output, { ...flags(), reason: 'stocktaking', application: 'web' }))
    const { streams, said } = sinks()
    await resume(createOutput({ output: 'text' }, streams), flags())
    expect(said().stdout).to.equal(
      'The environment was not suspended. Still suspended or held, each by itself: web. Run "tallyman resume web".\n',
    )
  })

  it('G13 is said to be tried with the next pass, and not now, where something is to be tried again', async () => {
    await daemonWas()
    const { streams, said } = sinks()
    await retry(createOutput({ output: 'text' }, streams), flags())
    expect(said().stdout).to.equal(
      'Nothing is quarantined. What tallyman tries again by itself is tried with the next pass.\n',
    )
    const failed = { environment: 'prod', site: 'local', application: 'web', service: 'web' }
    journal.quarantine({
      ...failed,
      ...{ target: '1×a', release: 'v1:a', commit: 'c', atMs: 1 },
      reason: { code: 'exited-early', message: 'exited' },
    })
    const again = sinks()
    await retry(createOutput({ output: 'text' }, again.streams), flags())
    expect(again.said().stdout).to.equal(
      'Released 1 release from quarantine; tallyman tries again with the next pass.\n',
    )
    journal.setTrouble({
      ...failed,
      release: 'v1:a',
      code: 'job-failed',
      message: 'its hook failed',
      atMs: 1,
    })
    const third = sinks()
    await retry(createOutput({ output: 'text' }, third.streams), flags())
    expect(third.said().stdout).to.equal(
      'Nothing is quarantined. What tallyman tries again by itself is tried with the next pass. What failed once its version served is told no more; it is not done again.\n',
    )
  })

  it('G13 is not said to be recorded where nothing comes of it', async () => {
    await daemonWas()
    const asked = [
      (output: ReturnType<typeof createOutput>) => forceUpgrade(output, { ...flags(), yes: true }),
      (output: ReturnType<typeof createOutput>) => deleteUpgrade(output, flags(), 'web'),
      (output: ReturnType<typeof createOutput>) => resume(output, flags(), 'web'),
    ]
    for (const ask of asked) expect((await run(ask)).err).to.match(/^No daemon runs\. Nothing was changed\./)
  })

  it('D17 is refused where another one writes, also if the variables of the daemon say what another site is', async () => {
    await daemonWas()
    await using there = await simulatedEngine()
    const far = { name: 'far', endpoint: there.endpoint }
    const [known] = journal.environments()
    const claim = claimOn({ source: known?.source ?? '', environment: 'prod' })
    const claimant = { id: 'other', machine: 'another machine', who: 'pid 71 on node-3' }
    const engine = connect(far, async () => undefined)
    const labels = claimLabels(claim, 'prod', claimant, 'mark', undefined)
    await engine.claims.create(claimName(claim, 7), labels, new AbortController().signal)
    engine.close()
    const byVariables = { name: 'local', tls: { ca: '/ca.pem', cert: '/cert.pem', key: '/key.pem' } }
    const repository = { url: 'https://git.example.com/ops/manifests' }
    writeFileSync(configFile(), JSON.stringify({ repository, sites: [byVariables, far] }))
    expect(await refused(run(output => suspend(output, { ...flags(), reason: 'moving' })))).to.match(
      /^another-writer: far: another tallyman runs /,
    )
    expect(journal.answers({ limit: 10 })).to.deep.equal([])
  })

  it('G13 is said to be done at once where the command itself has done it', async () => {
    await daemonWas()
    const { streams, said } = sinks()
    const saying = { path: '', heed: async () => async () => ({}), effect: () => 'at once' as const }
    await say(createOutput({}, streams), flags(), saying, {})
    expect(said().stderr).to.match(
      /^No daemon runs\. This was done at once, and is recorded\. It is not known/,
    )
  })

  it('G14 is about the environment that is named', async () => {
    await daemonWas()
    const there = { ...flags(), environment: ['prdo'] }
    expect(await refused(run(output => resume(output, there)))).to.equal(
      'wrong-usage: there is no environment "prdo"; did you mean "prod"?',
    )
    const directory = { ...flags(), environment: ['environments/prod'] }
    expect((await run(output => resume(output, directory))).said).to.deep.equal({ resumed: false })
  })

  it('G13 needs a daemon where only one can do it, or where the journal is not here', async () => {
    const id = await daemonWas()
    const alone = [
      run(output => approve(output, { ...flags(), wait: true }, id)),
      run(output => reconcile(output, flags())),
      run(output => resume(output, { ...flags(), server: join(stateDir, 'other.sock') })),
      run(output => resume(output, { ...flags(), stateDir: join(stateDir, 'missing') })),
    ]
    for (const asked of alone) expect(await refused(asked)).to.match(/^daemon-unreachable: /)
    expect(journal.answers({ limit: 10 })).to.deep.equal([])
  })

  it('G13 needs a daemon where none has been here before', async () => {
    expect(await refused(run(output => suspend(output, { ...flags(), reason: 'freeze' })))).to.equal(
      `daemon-unreachable: no daemon runs, and ${stateDir} knows no environment`,
    )
  })

  it('G13 is said to the daemon if one runs, which asks for a pass', async () => {
    await using daemon = await memoryDaemon({ files, journal })
    const { close } = await serveControl({ ...daemon.control, file: join(stateDir, 'control.sock') })
    await daemon.pass()
    const id = journal.waiting('prod')[0]?.planId ?? ''
    const { said, err } = await run(output => approve(output, flags(), id))
    expect([said.approved, typeof said.look, err]).to.deep.equal([id, 'number', ''])
    expect(journal.answers({ limit: 10 })[0]).to.include({ verb: 'approve', via: 'control' })
    await close()
  })
})
