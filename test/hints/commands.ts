import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { catalogue } from '../../lib/errors/catalogue.ts'
import { launcher } from '../support/command/tallyman.ts'
import { fixtureDirectory } from '../support/files/fixture.ts'
import { followedIn, type Room, type Told } from './followed.ts'

/** A command line, in a state directory of its own. */
type Scene = {
  readonly stateDir: string
  args: readonly string[]
  /** Where what it prints goes. */
  to: string
}

const room: Room<Scene> = {
  open: async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    return { stateDir, args: ['log', '--limit', '1', '--output', 'json'], to: '/dev/null' }
  },
  look: async ({ stateDir, args, to }) => {
    const { stderr } = await run([...args, '--state-dir', stateDir], to)
    const [, message = '', code = '', hint = ''] =
      /^Error: (.*) \((\S+)\)\n {2}hint: (.*)$/m.exec(stderr) ?? []
    return code === '' ? [] : [{ code, message, hint } satisfies Told]
  },
  close: ({ stateDir }) => rm(stateDir, { recursive: true }),
}

type Printed = { readonly stdout: string; readonly stderr: string }

function run(args: readonly string[], to?: string): Promise<Printed> {
  const script = to === undefined ? '"$0" "$@"' : `"$0" "$@" > ${to}`
  return promisify(execFile)('sh', ['-c', script, launcher(), ...args]).catch((failed: Printed) => failed)
}

const { hint } = catalogue['wrong-usage']

export const inCommands = followedIn(room, [
  {
    code: 'file-missing',
    hint: 'Name an existing file, or the directory of a repository; without a path, tallyman checks the repository of the configuration.',
    wrong: scene => {
      scene.args = ['validate', 'applications/shpo.yaml']
    },
    follow: {
      'Name an existing file': scene => {
        scene.args = ['validate', join(fixtureDirectory('shop'), 'applications/shop.yaml')]
      },
      'the directory of a repository': scene => {
        scene.args = ['validate', fixtureDirectory('shop')]
      },
    },
    says: ['without a path, tallyman checks the repository of the configuration'],
  },
  {
    code: 'output-lost',
    wrong: scene => {
      scene.to = '/dev/full'
    },
    follow: {
      'Send the output to a file or program that accepts it, and run the command again': scene => {
        scene.to = join(scene.stateDir, 'printed')
      },
    },
    says: ['What the command has done so far stays done'],
  },
  {
    code: 'wrong-usage',
    wrong: scene => {
      scene.args = ['log', '--limit', 'few']
    },
    follow: {
      [hint.slice(0, -1)]: async scene => {
        const { stdout } = await run([...scene.args, '--help'])
        const [, example = ''] = /--limit <count> +.*\(default: "(\d+)"\)/.exec(stdout) ?? []
        scene.args = ['log', '--limit', example]
      },
    },
  },
])
