import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryIn } from './env.ts'

/** With less free memory than this, files of tests stay on the disk. */
const enoughBytes = 8 * 2 ** 30

/**
 * Runs a program of ours in a network namespace of its own, which ends with the last of its processes and takes all with
 * it: bridges, addresses, rules and ports of two engines, or of an engine and this machine, never meet. Needs root.
 * Temporary files are in memory if there is enough of it: tests make and sync thousands of small ones. What is large
 * stays on the disk: `directoryOnDisk`.
 */
export function spawnInOwnNetwork(
  args: readonly string[],
  { env = process.env, ...options }: SpawnOptions,
): ChildProcess {
  const path = [env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(':')
  const own = { ...env, PATH: path }
  const program = [process.execPath, ...args]
  if (freemem() < enoughBytes)
    return inside(['--net'], 'ip link set lo up', program, { ...options, env: own })
  const directory = mkdtempSync(join(tmpdir(), 'tallyman-'))
  const before = 'ip link set lo up && mount -t tmpfs -o mode=1777 tallyman "$TMPDIR"'
  const child = inside(['--net', '--mount'], before, program, {
    ...options,
    env: { ...own, ...temporaryIn(directory) },
  })
  // What is in memory is gone with the last process, and nobody else has seen it.
  return child.once('exit', () => rmdirSync(directory))
}

function inside(
  namespaces: readonly string[],
  before: string,
  program: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  return spawn('unshare', [...namespaces, 'sh', '-c', `${before} && exec "$@"`, 'sh', ...program], options)
}
