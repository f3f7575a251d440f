import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBusybox } from '../images/busybox.ts'

/** A program tests need, the Debian package it comes in, and whether it is there. */
type Program = { readonly name: string; readonly package: string; readonly present: () => Promise<boolean> }

const programs = {
  dockerd: onPath('dockerd', 'docker.io'),
  docker: onPath('docker', 'docker.io'),
  iptables: onPath('iptables', 'iptables'),
  registry: onPath('docker-registry', 'docker-registry'),
  git: onPath('git', 'git'),
  busybox: {
    name: 'a static busybox',
    package: 'busybox-static',
    present: async () => (await findBusybox()) !== undefined,
  },
  sshd: onPath('sshd', 'openssh-server'),
  sshKeygen: onPath('ssh-keygen', 'openssh-client'),
  gpg: onPath('gpg', 'gpg'),
  gpgAgent: onPath('gpg-agent', 'gpg-agent'),
  caddy: onPath('caddy', 'caddy'),
  nginx: onPath('nginx', 'nginx'),
  wrk: onPath('wrk', 'wrk'),
  chromium: onPath('chromium', 'chromium'),
  ip: onPath('ip', 'iproute2'),
} as const satisfies Record<string, Program>

export type ProgramName = keyof typeof programs

/**
 * Makes sure that these programs are there: installs what is missing when we are root on Debian; throws, naming
 * what is missing and the command that installs it, where that cannot be done.
 */
export async function needPrograms(names: readonly ProgramName[]): Promise<void> {
  const missing = await absent(names)
  if (missing.length === 0) return
  const packages = missing.map(one => one.package)
  if (process.getuid?.() !== 0 || !(await isExecutable('apt-get'))) throw missingError(missing)
  process.stderr.write(`Installing ${packages.join(', ')}\n`)
  const install = ['install', '-y', '--no-install-recommends', ...packages]
  await aptGet(['update'])
    .then(() => aptGet(install), cannot(missing))
    .catch(cannot(missing))
  const still = await absent(names)
  if (still.length > 0) throw missingError(still)
}

async function absent(names: readonly ProgramName[]): Promise<readonly Program[]> {
  const found = await Promise.all(names.map(name => programs[name].present()))
  return names.filter((_, n) => found[n] === false).map(name => programs[name])
}

function onPath(name: string, debianPackage: string): Program {
  return { name, package: debianPackage, present: () => isExecutable(name) }
}

async function isExecutable(name: string): Promise<boolean> {
  const directories = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin']
  const tries = directories.map(directory => access(join(directory, name), constants.X_OK))
  return Promise.any(tries).then(
    () => true,
    () => false,
  )
}

async function aptGet(args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await promisify(execFile)('apt-get', ['-q', ...args], { env, maxBuffer: 64 << 20 })
}

function cannot(missing: readonly Program[]): (cause: unknown) => never {
  return cause => {
    throw missingError(missing, cause)
  }
}

function missingError(missing: readonly Program[], cause?: unknown): Error {
  const names = missing.map(one => one.name).join(', ')
  const packages = missing.map(one => one.package).join(' ')
  return new Error(
    `Needed: ${names}. On Debian, as root: apt-get update && apt-get install -y --no-install-recommends ${packages}`,
    cause === undefined ? {} : { cause },
  )
}
