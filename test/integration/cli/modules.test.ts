import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { launcher } from '../../support/tallyman.ts'

describe('what the command line loads', () => {
  it('"--version" needs nothing but its own file', async () => {
    expect(await modulesOf('--version')).to.deep.equal(['lib/cli/main.ts'])
  })

  it('"--help" loads no engine, no journal and no library but the one for command lines', async () => {
    const modules = await modulesOf('--help')
    expect(packagesOf(modules)).to.deep.equal(['commander'])
    expect(modules.filter(path => /^lib\/(docker|journal|git)\//.test(path))).to.deep.equal([])
  })

  it('"validate" loads no engine, no journal and no log', async () => {
    const modules = await modulesOf('validate', 'fixtures/includes')
    expect(packagesOf(modules)).not.to.include.members(['dockerode', 'winston'])
    expect(modules.filter(path => /^lib\/(docker|journal|http)\//.test(path))).to.deep.equal([])
  })
})

const root = join(import.meta.dirname, '../../..')

/** The files of the project, or of its libraries, that a command loads, by their path in the checkout. */
async function modulesOf(...args: readonly string[]): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-modules-'))
  const record = join(directory, 'modules')
  const hook = join(root, 'test/support/module-record.ts')
  const env = { ...process.env, NODE_OPTIONS: `--import=${hook}`, TALLYMAN_TEST_MODULES: record }
  try {
    await promisify(execFile)(launcher, [...args], { cwd: root, env })
    const urls = (await readFile(record, 'utf8')).split('\n')
    return urls
      .filter(url => url.startsWith(`file://${root}/`))
      .map(url => url.slice(`file://${root}/`.length))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function packagesOf(modules: readonly string[]): readonly string[] {
  const names = modules.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}
