import { expect } from 'chai'
import { createOutput, type Output, reportErrors } from '../../../lib/cli/output/output.ts'
import { plainProgress } from '../../../lib/cli/output/progress.ts'
import { logLines, showLines } from '../../../lib/cli/text/log-text.ts'
import { statusLines } from '../../../lib/cli/text/status/status-text.ts'
import { planJson } from '../../../lib/plan/text/json.ts'
import { renderPlan } from '../../../lib/plan/text/render.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import applicationSchema from '../../../schemas/application.schema.json' with { type: 'json' }
import manifestSchema from '../../../schemas/manifest.schema.json' with { type: 'json' }
import type { Files } from '../../support/builders/snapshot.ts'
import { snapshotOf } from '../../support/builders/snapshot.ts'
import { sinks } from '../../support/command/sinks.ts'
import { type Place, placesWith, type Schema } from '../../support/files/schema-places.ts'
import { type MemoryDaemon, memoryDaemon } from '../../support/memory/memory-daemon.ts'

/** What a line must not hold: controls, what reorders text, and what nobody sees. */
const acting = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** One that goes for the terminal, one that passes where controls are refused, and one that forges a line. */
const texts = ['a\u001b[2K\u001b[1A\u009b2J', 'a\u202e\u200b\u{e0041}', 'a\nforged: nothing to see']

/** Everything that this command line says. */
type Say = (output: Output) => void

function printedBy(say: Say): string {
  const all = (['text', 'json'] as const).map(form => {
    const { streams, said } = sinks()
    say(createOutput({ output: form }, streams))
    return `${said().stdout}${said().stderr}`
  })
  return all.join('')
}

function expectHarmless(text: string): void {
  const lines = text.split('\n')
  expect(lines.filter(line => acting.test(line))).to.deep.equal([])
  expect(lines.filter(line => line.startsWith('forged'))).to.deep.equal([])
}

describe('a repository that puts what acts on a terminal', () => {
  for (const text of texts)
    it(`G24 into every text that a specification and a manifest allow shows it and does nothing: ${JSON.stringify(text)}`, async () => {
      const places = placesWith(text, applicationSchema)
      expect(places.map(({ place }) => place)).to.include.members([
        '/services/*/containers/*/labels/(key)',
        '/services/*/containers/*/env/(key)',
        '/services/*/containers/*/logging/options/(key)',
        '/services/*/strategy/recreate/pre/execNewPod/args/*',
      ])
      for (const files of [applications(places), ...manifests(text, manifestSchema)]) await expectSaid(files)
    })

  it('G24 into labels, variables and log options has it in the plan, readable as it is by a parser', async () => {
    const text = 'nice\u001b[2K\u001b[1A'
    const container = {
      name: 'a',
      image: 'a',
      labels: { [text]: text },
      env: { A: text },
      logging: { driver: 'none', options: { [text]: text } },
    }
    const files = repository([{ name: 'shop', services: [{ name: 'a', containers: [container] }] }])
    await using daemon = await memoryDaemon({ files })
    await daemon.pass()
    const { streams, said } = sinks()
    createOutput({ output: 'json' }, streams).document(await daemon.ask('GET /api/v1/environments/prod/plan'))
    expect(said().stdout).to.include('labels/nice\\u001b[2K\\u001b[1A')
    expect(JSON.parse(said().stdout).changes[0].fields).to.include.deep.members([
      { path: `a/labels/${text}`, to: text },
      { path: 'a/env/A', to: text },
      { path: `a/logging/options/${text}`, to: text, touches: 'host' },
    ])
  })

  it('G24 into what the engine and people say has it in no held reason, status, log or progress', async () => {
    const text = 'a\u001b[2K\n\u202eforged'
    await using daemon = await memoryDaemon({ files: repository([simple('shop')]) })
    await daemon.pass()
    await daemon.ask('POST /api/v1/suspend', { reason: text, who: text })
    await daemon.pass()
    expectHarmless(await everything(daemon))
    expectHarmless(
      printedBy(output =>
        plainProgress(output).event({
          atMs: 0,
          site: 'local',
          application: 'shop',
          service: 'a',
          step: `create-container ${text}`,
          phase: 'failed',
          stage: 'change',
          error: { code: 'internal', message: text },
        }),
      ),
    )
  })
})

function simple(name: string): object {
  return { name, services: [{ name: 'a', containers: [{ name: 'a', image: 'a' }] }] }
}

/** An environment that runs these applications. */
function repository(specifications: readonly object[]): Files {
  const names = specifications.map((_, at) => `app${at}`)
  const files = specifications.map((one, at) => [
    `applications/app${at}.yaml`,
    JSON.stringify('name' in one && /^(a|shop)$/.test(String(one.name)) ? { ...one, name: `app${at}` } : one),
  ])
  return {
    'environments/prod/manifest.json': JSON.stringify({ services: names.map(name => ({ name })) }),
    ...Object.fromEntries(files),
  }
}

function applications(places: readonly Place[]): Files {
  return repository(places.map(({ document }) => (typeof document === 'object' ? { ...document } : {})))
}

/** A manifest is read as a whole: one for each place. */
function manifests(text: string, schema: Schema): readonly Files[] {
  return placesWith(text, schema).map(({ document }) => ({
    'environments/prod/manifest.json': JSON.stringify(document),
    'applications/app0.yaml': JSON.stringify(simple('app0')),
  }))
}

/** Validates, plans, and says everything that there is to say. */
async function expectSaid(files: Files): Promise<void> {
  const { problems, warnings } = await validateRepository(snapshotOf(files), {
    source: 'https://git.example.com/ops/manifests',
    policy: strictPolicy,
    healthyMs: 5_000,
    sandboxImage: 'busybox:stable',
    secrets: anySecrets,
  })
  expectHarmless(printedBy(output => output.document({ problems, warnings })))
  await using daemon = await memoryDaemon({ files, config: { policy: generous } })
  await daemon.pass()
  expectHarmless(await everything(daemon))
}

const generous = {
  ...strictPolicy,
  privileged: true,
  hostMounts: ['/'],
  hostNetwork: true,
  hostPid: true,
  hostIpc: true,
  capabilities: ['ALL'],
  devices: ['/'],
  securityOptions: texts,
  volumeDrivers: texts,
  remoteVolumes: ['*'],
  logDrivers: [...strictPolicy.logDrivers, ...texts, 'a'],
  sysctls: texts,
}

/** What every command that tells of this daemon prints, as text and as JSON. */
async function everything(daemon: MemoryDaemon): Promise<string> {
  const { journal } = daemon
  const environments = await daemon.ask('GET /api/v1/environments')
  const entries = journal.log({ limit: 10 })
  const records = entries.flatMap(({ passId }) => journal.show(passId) ?? [])
  return printedBy(output => {
    for (const one of environments) {
      if (output.json) output.document(one)
      else output.text(statusLines({ ...one, ingress: [] }, 0))
      reportErrors(output, one.errors)
    }
    for (const entry of entries) {
      if (output.json) output.entry(entry)
      else output.text(logLines(entry))
    }
    for (const record of records) {
      if (output.json) output.document(record)
      else output.text(showLines(record))
      if (record.plan === undefined) continue
      if (output.json) output.document(planJson(record.plan, true, 'OutOfSync'))
      else output.text(renderPlan(record.plan))
    }
  })
}
