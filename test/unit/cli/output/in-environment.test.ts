import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Command } from 'commander'
import { addCommands } from '../../../../lib/cli/add-commands.ts'
import { inEnvironment, ofOneEnvironment } from '../../../../lib/cli/output/in-environment.ts'
import { printed } from '../../../../lib/cli/output/printed.ts'
import { run } from '../../../../lib/cli/program.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { styled } from '../../../../lib/plan/text/line.ts'
import { sources } from '../../../support/sources.ts'

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

/** What is about all environments, about none, or about what has one id in all of them. */
const ofAll = [
  ...['daemon', 'validate', 'plan', 'apply', 'status', 'sites', 'log', 'logs', 'show', 'approve', 'discard'],
  ...['reconcile', 'deployment', 'metrics'],
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
