import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { catalogue, type ErrorCode, hintOf } from '../../../lib/errors/catalogue.ts'
import application from '../../../schemas/application.schema.json' with { type: 'json' }
import config from '../../../schemas/config.schema.json' with { type: 'json' }
import deployment from '../../../schemas/deployment.schema.json' with { type: 'json' }
import manifest from '../../../schemas/manifest.schema.json' with { type: 'json' }
import pod from '../../../schemas/pod.schema.json' with { type: 'json' }
import { launcher } from '../../support/command/tallyman.ts'

const codes = Object.keys(catalogue) as readonly ErrorCode[]
const hints = codes.flatMap(code => [true, false].map(hasDaemon => ({ code, text: hintOf(code, hasDaemon) })))

/** Words in quotes that are neither keys of ours nor commands: what other tools and manuals call them. */
const foreign = [
  '/',
  'default-address-pools',
  'git fsck',
  'git am --keep-cr FILE',
  'git commit --amend --no-edit -S',
  'git tag -s -f',
  'gpg --armor --export',
  'docker pull',
  'docker node update --label-add LABEL=VALUE NODE',
  'docker plugin install',
  'docker plugin ls',
  'sops edit',
  'ssh-keyscan -p PORT HOST',
  "ssh-keygen -t ed25519 -N '' -f FILE",
  'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
]

function quoted(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words)
}

/** The names of all properties, at any depth. */
function keysOf(schema: unknown): readonly string[] {
  if (schema === null || typeof schema !== 'object') return []
  const own = 'properties' in schema && schema.properties !== null ? Object.keys(schema.properties ?? {}) : []
  return [...own, ...Object.values(schema).flatMap(keysOf)]
}

describe('the hints of the catalogue', () => {
  it('G13 name commands that there are, with flags that they take', async () => {
    const commands = new Set(
      hints.flatMap(({ text }) => quoted(text)).filter(words => words.startsWith('tallyman ')),
    )
    for (const words of commands) {
      const [, verb = '', ...flags] = words.split(' ')
      const args = verb.startsWith('--') ? [verb] : [verb, '--help']
      const { stdout } = await promisify(execFile)(launcher(), args)
      const own = flags.filter(flag => flag !== flag.toUpperCase())
      for (const flag of own) expect(stdout, words).to.include(flag)
    }
    expect(commands.size).to.be.greaterThan(7)
  })

  it('G24 stand beside a help that is shown as it was written, with the blanks between its columns', async () => {
    const { stdout } = await promisify(execFile)(launcher(), ['--help'])
    expect(stdout).to.match(/\n {2}-h, --help {10,}display help for command\n/)
  })

  it('G13 are given for a missing argument, too: what it is, and where to find it', async () => {
    const told = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { stderr } = await promisify(execFile)(launcher(), args).catch(error => error)
      return stderr.split('\n')
    }
    expect(await told('approve')).to.deep.equal([
      "error: missing required argument 'id'",
      'It takes the id of a plan that waits, which "tallyman status" and "tallyman plan" print. Run "tallyman approve --help" for its arguments and options.',
      '',
    ])
    expect(await told('show')).to.deep.equal([
      "error: missing required argument 'pass'",
      'It takes the number of a pass, which "tallyman log" prints. Run "tallyman show --help" for its arguments and options.',
      '',
    ])
    expect(await told('plan', '--fast')).to.deep.equal([
      "error: unknown option '--fast'",
      'Run "tallyman plan --help" for its arguments and options.',
      '',
    ])
  })

  it('G13 name flags that commands take', async () => {
    const helps = ['suspend', 'rollback'].map(verb => promisify(execFile)(launcher(), [verb, '--help']))
    const known = (await Promise.all(helps)).map(({ stdout }) => stdout).join('')
    const ours = hints.map(({ text }) => foreign.reduce((left, words) => left.replace(words, ''), text))
    const flags = new Set(ours.flatMap(text => text.match(/(?<![\w"])--[a-z-]+/g) ?? []))
    for (const flag of flags) if (!['--retry', '--force'].includes(flag)) expect(known).to.include(flag)
  })

  const keys = new Set([manifest, application, deployment, pod, config].flatMap(keysOf))
  for (const { code, text } of hints)
    for (const words of quoted(text)) {
      if (words.startsWith('tallyman ') || foreign.includes(words)) continue
      it(`G13 name keys that there are: ${code}, ${words}`, () => {
        const unknown = words
          .split(/[.:{} ]+/)
          .filter(word => /^[a-z][a-zA-Z_-]*$/.test(word))
          .slice(0, 1)
          .filter(word => !keys.has(word))
        expect(unknown).to.deep.equal([])
      })
    }
})
