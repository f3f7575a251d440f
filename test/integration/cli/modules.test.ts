import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import manifest from '../../../package.json' with { type: 'json' }
import { checkoutLauncher } from '../../support/command/tallyman.ts'
import { runningSocket, uniqueName } from '../../support/suite/env.ts'

describe('what the command line loads', () => {
  it('"--version" needs nothing but its own file, and what tells that a stream cannot be written', async () => {
    expect(await modulesOf('--version')).to.deep.equal([
      'lib/cli/main.ts',
      'lib/cli/output/streams.ts',
      'lib/errors/catalogue.ts',
      'lib/cli/exit.ts',
    ])
  })

  it('"--help" loads no engine, no journal and no library but the one for command lines', async () => {
    const modules = await modulesOf('--help')
    expect(packagesOf(modules)).to.deep.equal(['commander'])
    expect(modules.filter(path => /^lib\/(docker|journal|git)\//.test(path))).to.deep.equal([])
  })

  it('"validate" loads no engine, no journal and no log', async () => {
    const modules = await modulesOf('validate', 'fixtures/includes')
    expect(packagesOf(modules)).to.not.include('winston')
    expect(modules.filter(path => /^lib\/(docker|journal|http)\//.test(path))).to.deep.equal([])
  })

  it('"apply" without a change loads what compares, and nothing that only changes, serves, specifies or speaks SSH or gRPC', async () => {
    await using environment = await emptyEnvironment()
    const modules = await modulesOf('apply', ...environment.flags)
    expect(ownOf(packagesOf(modules))).to.deep.equal([
      'ajv',
      'commander',
      'dockerode',
      'p-limit',
      're2js',
      'semver',
      'yaml',
    ])
    const unused =
      /^lib\/(docker\/steps|docker\/(execute|observe\/events)|http|ingress|spec\/(build\/build|service)|registry\/manifests|secrets\/sops)\b/
    expect(modules.filter(path => unused.test(path))).to.deep.equal([])
    const foreign = /^(ssh2|@grpc\/.+|protobufjs)$/
    expect(packagesOf(modules).filter(name => foreign.test(name))).to.deep.equal([])
    expect(modules.filter(path => /^node:(http2|tls)$/.test(path))).to.deep.equal([])
  })

  it('G17 "daemon" loads what changes something before it looks at a site, so that nothing waits for that later', async () => {
    await using environment = await emptyEnvironment()
    const record = join(environment.directory, 'modules')
    const daemon = spawn(checkoutLauncher, ['daemon', ...environment.flags], {
      cwd: root,
      env: recording(record),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(daemon, 'exit')
    for await (const line of createInterface({ input: daemon.stderr }))
      if (line.includes('tallyman watches')) daemon.kill('SIGTERM')
    await ended
    expect(await recordedIn(record)).to.include('lib/docker/execute.ts')
  })
})

const root = join(import.meta.dirname, '../../..')

/** A repository whose only environment wants nothing, and a state directory of its own. */
async function emptyEnvironment() {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-modules-'))
  const repository = join(directory, 'repository')
  const environment = join(repository, 'environments', uniqueName())
  await mkdir(environment, { recursive: true })
  await writeFile(join(environment, 'manifest.json'), '{"services": []}')
  return {
    directory,
    flags: ['--repository', repository, '--state-dir', join(directory, 'state')],
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

/** What a command loads: files of the project and its libraries by their path in the checkout, and Node's own modules. */
async function modulesOf(...args: readonly string[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-modules-'))
  const record = join(directory, 'modules')
  try {
    await promisify(execFile)(checkoutLauncher, [...args], { cwd: root, env: recording(record) })
    return await recordedIn(record)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The environment of a process that records what it loads in this file. */
function recording(record: string) {
  return {
    ...process.env,
    DOCKER_HOST: `unix://${runningSocket()}`,
    NODE_OPTIONS: `--import=${join(root, 'test/support/command/module-record.ts')}`,
    TALLYMAN_TEST_MODULES: record,
  }
}

async function recordedIn(record: string): Promise<readonly string[]> {
  const urls = (await readFile(record, 'utf8')).split('\n')
  return urls.map(url => url.replace(`file://${root}/`, ''))
}

/** Those that the project itself asks for. */
function ownOf(packages: readonly string[]): readonly string[] {
  return packages.filter(name => name in manifest.dependencies)
}

function packagesOf(modules: readonly string[]): readonly string[] {
  const names = modules.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}
