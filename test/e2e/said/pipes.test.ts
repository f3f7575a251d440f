import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { openJournal } from '../../../lib/journal/journal.ts'
import { launcher } from '../../support/command/tallyman.ts'
import { fixtureDirectory } from '../../support/files/fixture.ts'
import { namedIfItHangs } from '../../support/time/hangs.ts'

/** Runs a line of a shell in which `$tallyman` is the launcher; every part of a pipe has to end with 0. */
async function shell(line: string, variables: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', tallyman: launcher(), ...variables }
  const ran = promisify(execFile)('bash', ['-o', 'pipefail', '-c', line], { env, timeout: 60_000 })
  const { stdout, stderr, code } = await ran.then(
    done => ({ ...done, code: 0 }),
    error => error,
  )
  return { stdout: String(stdout), stderr: String(stderr), code }
}

const invalid = fixtureDirectory('invalid')
const valid = fixtureDirectory('rfc-example')

describe('where the output goes', () => {
  it('says nothing of a reader that had enough, and ends as it would have ended', async () => {
    const ran = await shell(`"$tallyman" validate --output json ${valid} | head -c 1`)
    expect(ran).to.deep.equal({ stdout: '{', stderr: 'Everything is valid.\n', code: 0 })
    const unread = (what: string) => shell(`exec 3> >(true); wait $!; "$tallyman" ${what} >&3`)
    const { stderr, ...rest } = await unread(`validate ${invalid}`)
    expect(rest).to.deep.equal({ stdout: '', code: 1 })
    expect(stderr).to.match(/^Configuration: no file, only defaults\n(?: {2}hint \([a-z-]+\): .+\n)+$/)
    expect(await unread('--help')).to.deep.equal({ stdout: '', stderr: '', code: 0 })
  })

  it('ends a log that is followed once nobody reads it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-pipes-'))
    try {
      const journal = openJournal(join(directory, 'tallyman.sqlite'))
      for (const environment of ['devel', 'prod']) {
        const pass = journal.beginPass({ environment, trigger: 'poll', atMs: 1_000 })
        journal.endPass(pass, { outcome: 'failed', sync: 'Unknown', atMs: 2_000 })
      }
      journal.close()
      const ran = await shell(`"$tallyman" log --follow --state-dir ${directory} | head -n 0`)
      expect(ran).to.deep.equal({ stdout: '', stderr: '', code: 0 })
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('G25 prints the end of a pass that it found running, after that of one that began later', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-pipes-'))
    const journal = openJournal(join(directory, 'tallyman.sqlite'))
    const begin = (site: string) =>
      journal.beginPass({ environment: 'prod', site, trigger: 'poll', atMs: 1_000 })
    const end = (pass: number) =>
      journal.endPass(pass, { outcome: 'rolled-back', sync: 'OutOfSync', atMs: 2_000 })
    const north = begin('north')
    const args = ['log', '--follow', '--output', 'json', '--state-dir', directory]
    const child = spawn(launcher(), args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async () => {
        const { passId, outcome } = JSON.parse(
          (await namedIfItHangs(lines.next(), async () => 'no line')).value ?? '{}',
        )
        return `${passId} ${outcome}`
      }
      expect(await next()).to.equal('1 running')
      end(begin('south'))
      expect(await next()).to.equal('2 rolled-back')
      end(north)
      expect(await next()).to.equal('1 rolled-back')
      child.kill('SIGINT')
      expect(await ended).to.deep.equal([0, null])
    } finally {
      child.kill('SIGKILL')
      await ended
      journal.close()
      await rm(directory, { recursive: true })
    }
  })

  it('fails where what it prints cannot be written, and says why', async () => {
    for (const what of [`validate ${invalid}`, `validate --output json ${valid}`, '--help', '--version']) {
      const ran = await shell(`"$tallyman" ${what} > /dev/full`)
      expect(ran.code, what).to.equal(1)
      expect(ran.stderr).to.match(/^Error: standard output: .*no space left on device.* \(output-lost\)$/m)
      expect(ran.stderr).not.to.match(/Unhandled|node:/)
    }
  })

  it('does its work where nobody can be told of it', async () => {
    const ran = await shell(`"$tallyman" validate ${invalid} 2> /dev/full`)
    expect(ran.code).to.equal(1)
    expect(ran.stdout).to.match(/include-cycle/)
  })
})
