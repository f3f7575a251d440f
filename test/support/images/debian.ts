import { execFile } from 'node:child_process'
import { access, constants, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Unpacks a package of a release of Debian into a directory, through apt with a list of sources, an index and a cache of
 * its own: the machine's packages and lists stay as they are. Rejects where it cannot be had.
 */
export async function unpackFromDebian(release: string, name: string, directory: string): Promise<void> {
  await access(keyring, constants.R_OK)
  const [lists, cache] = [join(directory, 'lists'), join(directory, 'cache')]
  const sources = join(directory, 'sources.list')
  await Promise.all(
    [lists, join(cache, 'archives')].map(path => mkdir(join(path, 'partial'), { recursive: true })),
  )
  await writeFile(sources, `deb [signed-by=${keyring}] ${await serverOf()} ${release} main\n`)
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
    'APT::Sandbox::User=',
  ].flatMap(option => ['-o', option])
  const apt = (...args: readonly string[]) =>
    run('apt-get', ['-q', ...options, ...args], { cwd: directory, timeout: 120_000 })
  // Unless told, it is content with what it could not reach.
  await apt('update', '--error-on=any')
  await apt('download', name)
  const [archive = ''] = (await readdir(directory)).filter(file => file.endsWith('.deb'))
  await run('dpkg-deb', ['-x', archive, directory], { cwd: directory })
}

/** The server that apt has this machine's own release from. Rejects on other systems. */
async function serverOf(): Promise<string> {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1]
  const format = ['--format', '$(RELEASE) $(REPO_URI)']
  const { stdout } = await run('apt-get', ['indextargets', ...format, 'Created-By: Packages'])
  const line = stdout.split('\n').find(one => one.startsWith(`${release} `))
  if (line === undefined) throw new Error(`E: apt has no source for ${release}`)
  return line.slice(`${release} `.length)
}
