import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../../lib/cli/program.ts'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { sinks } from '../../../support/command/sinks.ts'

/** The state directories of two daemons: `here` with a pass over prod, `there` with one over stage, `empty` with none. */
function stateDirs() {
  const root = mkdtempDisposableSync(join(tmpdir(), 'tallyman-no-effect-'))
  const at = (path: string) => join(root.path, path)
  for (const [name, environment] of [
    ['here', 'prod'],
    ['there', 'stage'],
  ] as const) {
    mkdirSync(at(name))
    const journal = openJournal(at(`${name}/tallyman.sqlite`))
    journal.endPass(journal.beginPass({ environment, trigger: 'poll', atMs: 1 }), {
      ...{ outcome: 'in-sync', sync: 'Synced', atMs: 2 },
    })
    journal.close()
  }
  mkdirSync(at('empty'))
  return { at, [Symbol.dispose]: () => root.remove() }
}

async function saidBy(...words: readonly string[]) {
  const { streams, said } = sinks()
  const code = await run(['node', 'tallyman', ...words], '0', streams)
  return { code, ...said() }
}

describe('words on a command line', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['resume web --application shop', '"web" and --application shop are two names of one thing: give one'],
    [
      'rollback web --now --yes',
      '--yes pushes a commit without asking, and --now makes none; to go back also where windows are closed, use --outside-window',
    ],
    ['rollback web --now --patch x', '--now makes no commit, so there is nothing to write with --patch'],
    [
      'rollback web --outside-window',
      '--outside-window needs --now: a commit waits for the windows like any other',
    ],
  ]
  for (const [words, told] of refused)
    it(`G13 are refused where they would have no effect: ${words}`, async () => {
      using dirs = stateDirs()
      const { code, stderr } = await saidBy(...words.split(' '), '--state-dir', dirs.at('here'))
      expect(stderr).to.include(`Error: ${told} (wrong-usage)\n`)
      expect(code).to.equal(64)
    })

  for (const words of ['log', 'show 1'])
    it(`G13 read what the daemon has on record that they name: ${words}`, async () => {
      using dirs = stateDirs()
      const own = ['--state-dir', dirs.at('here')]
      expect((await saidBy(...words.split(' '), ...own)).stdout)
        .to.include('prod')
        .and.not.include('stage')
      const other = await saidBy(...words.split(' '), ...own, '--server', dirs.at('there/control.sock'))
      expect(other.stdout, other.stderr).to.include('stage').and.not.include('prod')
    })

  for (const words of ['log', 'show 1', 'versions web'])
    it(`G13 are refused where the daemon that they name has its record elsewhere: ${words}`, async () => {
      using dirs = stateDirs()
      const server = dirs.at('empty/control.sock')
      const { code, stderr } = await saidBy(
        ...[...words.split(' '), '--state-dir', dirs.at('here'), '--server', server],
      )
      expect(stderr).to.include(`Error: --server ${server}: there is no journal beside that socket`)
      expect(code).to.equal(64)
    })
})
