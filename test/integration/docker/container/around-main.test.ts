import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { commandOf } from '../../../../lib/docker/container/config/around-main.ts'
import { defaultSignals } from '../../../../lib/docker/container/shell/default-signals.ts'
import { findBusybox } from '../../../support/images/busybox.ts'

describe('event handlers of an app, run by the shell of a sandbox', () => {
  let busybox = ''
  let directory = ''
  before(async () => {
    busybox = (await findBusybox()) ?? ''
    directory = await mkdtemp(join(tmpdir(), 'tallyman-around-'))
    const signals = defaultSignals(await readFile(busybox)) ?? Buffer.alloc(0)
    await writeFile(join(directory, 'default-signals'), signals, { mode: 0o755 })
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
      .replaceAll('/.tallyman/default-signals', join(directory, 'default-signals'))
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

  it('C12 C13 get the variables of the app, whatever their names and values are', () => {
    const own = {
      PATH: process.env['PATH'] ?? '',
      ...{ 'a.b': 'x y', 'a-b': "it's\n$HOME `x` \\", '9': '', 'with space': '=', ä: 'ö' },
      ...{ IFS: ' \n', PWD: '/somewhere', PS1: '$', RANDOM: 'no', SHLVL: '3' },
    }
    const shown = (programs: Programs) => {
      const { stdout } = spawnSync(busybox, ['sh', '-c', scriptOf(programs, own)], {
        env: own,
        encoding: 'utf8',
      })
      return stdout.split('\0').sort()
    }
    const expected = Object.entries(own).map(([name, value]) => `${name}=${value}`)
    const print = [busybox, 'env', '-0']
    const nothing = ['sh', '-c', 'exit 0']
    for (const programs of [
      { main: print, preStart: nothing },
      { main: print, postStop: nothing },
      { main: nothing, preStart: print },
      { main: nothing, postStop: print },
    ])
      expect(shown(programs)).to.deep.equal(['', ...expected].sort())
  })

  it('C13 hand on every signal that a program can take, also those that a shell lets nothing beside it have', () => {
    const all = 'HUP INT QUIT USR1 USR2 ALRM TERM WINCH 37 64'.split(' ')
    const log = join(directory, 'signals')
    const traps = all.map(signal => `trap 'echo ${signal} >> ${log}' ${signal}`).join('\n')
    const main = `${traps}\necho up >> ${log}; while ! grep -q 64 ${log}; do sleep 0.01; done; exit 5`
    const own = scriptOf({ main: ['sh', '-c', main], postStop: ['sh', '-c', `echo post >> ${log}`] })
    const until = (word: string) => `while ! grep -qx ${word} ${log} 2>/dev/null; do sleep 0.01; done`
    const kills = all.map(signal => `kill -${signal} $pid; ${until(signal)}`)
    // A shell that is started beside another one has INT and QUIT ignored, and an engine ignores nothing.
    const given = [join(directory, 'default-signals'), busybox, 'sh', '-c', own]
    const script = ['"$@" & pid=$!', until('up'), ...kills, 'wait $pid; echo $?'].join('\n')
    const code = execFileSync(busybox, ['sh', '-c', script, 'x', ...given], { encoding: 'utf8' })
    expect(readFileSync(log, 'utf8').split('\n')).to.deep.equal(['up', ...all, 'post', ''])
    expect(code).to.equal('5\n')
  })

  for (const [signal, code] of [
    ['INT', 130],
    ['QUIT', 131],
  ] as const)
    it(`C13 hand on SIG${signal} to a main program that does not heed it, and run what is after it`, () => {
      const log = join(directory, `plain-${signal}`)
      const own = scriptOf({
        main: ['sh', '-c', `echo up >> ${log}; exec sleep 1000`],
        postStop: ['sh', '-c', `echo post >> ${log}`],
      })
      const given = [join(directory, 'default-signals'), busybox, 'sh', '-c', own]
      const script = `"$@" & pid=$!; while ! grep -q up ${log} 2>/dev/null; do sleep 0.01; done; kill -${signal} $pid; wait $pid; echo $?`
      expect(execFileSync(busybox, ['sh', '-c', script, 'x', ...given], { encoding: 'utf8' })).to.equal(
        `${code}\n`,
      )
      expect(readFileSync(log, 'utf8')).to.equal('up\npost\n')
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
