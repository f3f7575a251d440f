import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { commandOf } from '../../../lib/docker/container/around-main.ts'
import { findBusybox } from '../../support/busybox.ts'

describe('event handlers of an app, run by the shell of a sandbox', () => {
  let busybox = ''
  let directory = ''
  before(async () => {
    busybox = (await findBusybox()) ?? ''
    directory = await mkdtemp(join(tmpdir(), 'tallyman-around-'))
  })
  after(() => rm(directory, { recursive: true }))

  type Programs = {
    readonly main: readonly string[]
    readonly preStart?: readonly string[]
    readonly postStop?: readonly string[]
  }

  /** What a container would run, with the shell of this machine in the place of the lent one. */
  function scriptOf({ main, ...handlers }: Programs, env = {}): string {
    const [program = '', ...rest] = main
    const { command = [] } = commandOf({ entrypoint: [program], command: rest, env, handlers })
    return (command[0] ?? '')
      .replaceAll('/.tallyman/busybox', busybox)
      .replaceAll('/.tallyman/state/started', join(directory, 'started'))
  }

  function run(programs: Programs, env: Readonly<Record<string, string>> = {}) {
    const variables = { PATH: process.env['PATH'] ?? '', ...env }
    const { status, stdout, stderr } = spawnSync(busybox, ['sh', '-c', scriptOf(programs, variables)], {
      env: variables,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }

  it('C10 C13 run before and after the main program, each with its arguments as they are written', () => {
    const say = (text: string) => ['printf', '%s\n', text, "it's $HOME `x`"] as const
    expect(
      run({ main: [...say('main')], preStart: [...say('pre')], postStop: [...say('post')] }),
    ).to.deep.equal({
      status: 0,
      stdout: ['pre', 'main', 'post'].map(text => `${text}\nit's $HOME \`x\`\n`).join(''),
      stderr: '',
    })
  })

  it('C13 keep the main program from starting if what runs before it fails', () => {
    expect(
      run({ main: ['echo', 'main'], preStart: ['sh', '-c', 'exit 7'], postStop: ['echo', 'post'] }),
    ).to.deep.equal({
      status: 7,
      stdout: '',
      stderr: '',
    })
  })

  it('C13 end with the exit code of the main program, whatever the one after it says', () => {
    expect(run({ main: ['sh', '-c', 'exit 3'], postStop: ['sh', '-c', 'echo post; exit 9'] })).to.deep.equal({
      status: 3,
      stdout: 'post\n',
      stderr: '',
    })
  })

  it('C12 C13 are looked up in PATH, and never among what the shell has by itself', () => {
    expect(run({ main: ['echo', 'main'], preStart: ['true'] }, { PATH: '/nowhere' })).to.deep.equal({
      status: 127,
      stdout: '',
      stderr: 'true: not found\n',
    })
  })

  it('C12 C13 get the variables as they are written, and none of the shell', () => {
    const env = { 'my.var': 'a b', 'my-var': "it's", IFS: 'x', SHLVL: '7', found: 'mine', code: 'own' }
    const shown = (programs: Programs) =>
      run(programs, env)
        .stdout.split('\n')
        .filter(line => line !== '' && !line.startsWith('PATH='))
        .sort()
    const expected = Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .sort()
    expect(shown({ main: ['env'], preStart: ['sh', '-c', 'exit 0'] })).to.deep.equal(expected)
    expect(shown({ main: ['env'], postStop: ['sh', '-c', 'exit 0'] })).to.deep.equal(expected)
    expect(shown({ main: ['sh', '-c', 'exit 0'], preStart: ['env'] })).to.deep.equal(expected)
  })

  it('C13 hand on the signals that the main program gets, and wait until it has ended by itself', () => {
    const log = join(directory, 'log')
    const main = `trap 'echo term >> ${log}; sleep 0.2; echo end >> ${log}; exit 5' TERM; echo up >> ${log}; while :; do sleep 0.05; done`
    const own = scriptOf({ main: ['sh', '-c', main], postStop: ['sh', '-c', `echo post >> ${log}`] })
    const script = `"$@" & pid=$!; while ! grep -q up ${log} 2>/dev/null; do sleep 0.02; done; kill -TERM $pid; wait $pid; echo $?`
    const code = execFileSync(busybox, ['sh', '-c', script, 'x', busybox, 'sh', '-c', own], {
      encoding: 'utf8',
    })
    expect(readFileSync(log, 'utf8')).to.equal('up\nterm\nend\npost\n')
    expect(code).to.equal('5\n')
  })
})
