import { mkdtempDisposableSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Command } from 'commander'
import { addCommands } from '../../../../lib/cli/add-commands.ts'
import { createSink } from '../../../../lib/cli/logs/log-sink.ts'
import type { LogSource } from '../../../../lib/cli/logs/log-source.ts'
import { inEnvironment, ofOneEnvironment, outputAbout } from '../../../../lib/cli/output/in-environment.ts'
import { createOutput } from '../../../../lib/cli/output/output.ts'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { run } from '../../../../lib/cli/program.ts'
import { postMortemLines } from '../../../../lib/cli/text/log-text.ts'
import { linesOf, type ShownProposal } from '../../../../lib/cli/text/revert-text.ts'
import type { KeptPostMortem } from '../../../../lib/journal/history/post-mortems.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import type { FieldChange } from '../../../../lib/plan/compare/field/field-change.ts'
import { fieldLines } from '../../../../lib/plan/text/change-text.ts'
import { type Line, styled } from '../../../../lib/plan/text/line.ts'
import { sinks } from '../../../support/command/sinks.ts'
import { sources } from '../../../support/files/sources.ts'
import { logged } from '../logs/logged.ts'

describe('commands in lines about one of several environments', () => {
  it('G13 name it, so that they can be run as they are written', () => {
    const lines = [
      '  web held at version 1 by root; to end it: tallyman resume web',
      ['    ', styled('dim', 'hint: Commit a correction, or run "tallyman retry" to try the same again.')],
      '  waits since 2026-11-28: tallyman approve d74dab900a9bdd91',
      '  hint: run "tallyman rollback web --now", or "tallyman resume web --environment stage".',
    ]
    expect(
      printed(inEnvironment('stage', 2, lines), false)
        .trimEnd()
        .split('\n'),
    ).to.deep.equal([
      '  web held at version 1 by root; to end it: tallyman resume --environment stage web',
      '    hint: Commit a correction, or run "tallyman retry --environment stage" to try the same again.',
      '  waits since 2026-11-28: tallyman approve d74dab900a9bdd91',
      '  hint: run "tallyman rollback --environment stage web --now", or "tallyman resume web --environment stage".',
    ])
  })
})

const proposal = 'Please run "tallyman resume shop", or tallyman retry: thanks'

describe('what others wrote, in the output of a command about one environment', () => {
  const cases: readonly (readonly [string, () => readonly Line[]])[] = [
    [
      'the diff of a commit',
      () =>
        linesOf({
          ...{ diff: ` ${proposal}\n-${proposal}\n+${proposal}\n`, staying: [], files: [] },
          branch: { name: 'refs/heads/main', commit: 'c' },
          told: {
            environment: { name: 'stage', directory: 'environments/stage' },
            ...{ from: { commit: 'b' }, to: { commit: 'a' } },
          },
        } as unknown as ShownProposal),
    ],
    [
      'a difference in a plan',
      () =>
        fieldLines(
          [
            { path: 'env/HINT', from: 'none', to: proposal, touches: undefined },
            { path: 'command', from: proposal, touches: 'host' },
          ] as unknown as readonly FieldChange[],
          true,
        ),
    ],
    [
      'the last output of a container that failed',
      () =>
        postMortemLines({
          ...{
            container: 'web',
            site: 'north',
            exitCode: 1,
            oomKilled: false,
            restarts: 0,
            lines: [proposal],
          },
          ...{ error: proposal, checks: [{ exitCode: 1, output: proposal }] },
        } as unknown as KeptPostMortem),
    ],
  ]
  for (const [what, linesOfIt] of cases)
    it(`G13 H7 comes out character by character: ${what}`, () => {
      const { streams, said } = sinks()
      const lines = linesOfIt()
      outputAbout('stage', createOutput({}, streams)).text(lines)
      expect(said().stdout).to.equal(printed(lines, false))
      expect(said().stdout).to.include('tallyman resume shop').and.not.include('--environment')
    })

  it('G13 H7 comes out character by character: what a container writes', async () => {
    const { streams, said } = sinks()
    const { signal } = new AbortController()
    const form = { hasNames: true, hasSites: false, hasTimes: false }
    const sink = createSink(outputAbout('stage', createOutput({}, streams)), form, signal)
    const source = { site: { site: 'north' }, one: logged('stage', 'shop', 'web') } as unknown as LogSource
    await sink.line({ at: '1', stream: 'stdout', text: proposal, source })
    expect(said().stdout).to.equal(`web.1 | ${proposal}\n`)
  })
})

/** What is about all environments, about none, or about what has one id in all of them. */
const ofAll = [
  ...['daemon', 'validate', 'plan', 'apply', 'status', 'sites', 'log', 'logs', 'show', 'approve', 'discard'],
  ...['reconcile', 'ping', 'deployment', 'metrics'],
]

describe('a command that somebody is told to run', () => {
  it('G13 is known to mean one environment, or not to: a new one has to be entered in one of the lists', () => {
    const names: string[] = []
    const program = new Command()
    addCommands((usage, description) => {
      const made = program.command(usage).description(description)
      names.push(made.name())
      return made
    })
    expect([...ofAll, ...ofOneEnvironment].toSorted()).to.deep.equal(names.toSorted())
  })

  it('G13 names the environment wherever lib tells somebody to run it', () => {
    const told = sources
      .filter(({ path }) => !path.endsWith('.gen.ts'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\btallyman ([a-z-]+)/g)].map(([, verb = '']) => ({ path, verb })),
      )
      .filter(({ verb }) => ofOneEnvironment.some(one => one === verb))
    expect(told).to.have.length.above(20)
    for (const { path, verb } of told) {
      const lines = inEnvironment('stage', 2, [`Run "tallyman ${verb} web", or "tallyman ${verb}".`])
      expect(printed(lines, false), path).to.equal(
        `Run "tallyman ${verb} --environment stage web", or "tallyman ${verb} --environment stage".\n`,
      )
    }
  })

  it('G13 names the environment of a pass that is shown, where there are several', async () => {
    const hint = 'Commit a correction, or run "tallyman retry" to try the same again.'
    const named = 'Commit a correction, or run "tallyman retry --environment stage" to try the same again.'
    for (const [environments, told] of [
      [['stage'], hint],
      [['prod', 'stage'], named],
    ] as const) {
      using directory = mkdtempDisposableSync(join(tmpdir(), 'tallyman-in-environment-'))
      const journal = openJournal(join(directory.path, 'tallyman.sqlite'))
      for (const environment of environments)
        journal.endPass(journal.beginPass({ environment, site: 'local', trigger: 'poll', atMs: 1 }), {
          ...{ outcome: 'failed', sync: 'OutOfSync', atMs: 2 },
          error: { code: 'release-quarantined', message: 'shop failed', hint },
        })
      journal.close()
      const { streams, said } = sinks()
      await run(
        ['node', 'tallyman', 'show', String(environments.length), '--state-dir', directory.path],
        '0',
        streams,
      )
      expect(said().stdout).to.include(`hint: ${told}\n`)
    }
  })

  it('G13 names the environment that somebody named, in all that is said to him', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'tallyman-in-environment-'))
    try {
      const journal = openJournal(join(stateDir, 'tallyman.sqlite'))
      for (const environment of ['prod', 'stage']) {
        journal.endPass(journal.beginPass({ environment, trigger: 'poll', atMs: 1 }), {
          ...{ outcome: 'in-sync', sync: 'Synced', atMs: 2 },
        })
        for (const what of [{}, { application: 'web' }])
          journal.suspend({ environment, ...what, reason: 'moving', who: 'ann', atMs: 1 })
      }
      journal.close()
      let said = ''
      const write = (text: string) => (said += text)
      const streams = { stdin: {}, stdout: { write }, stderr: { write } }
      const words = ['resume', '--environment', 'prod', '--state-dir', stateDir]
      expect(await run(['node', 'tallyman', ...words], '0', streams), said).to.equal(0)
      expect(said).to.include('Run "tallyman resume --environment prod web".')
    } finally {
      rmSync(stateDir, { recursive: true })
    }
  })
})
