import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/**
 * Runs a program of ours in a network namespace of its own, which ends with the last of its processes and takes all with
 * it: bridges, addresses, rules and ports of two engines, or of an engine and this machine, never meet. Needs root.
 */
export function spawnInOwnNetwork(
  args: readonly string[],
  { env = process.env, ...options }: SpawnOptions,
): ChildProcess {
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...args]
  const path = [env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(':')
  return spawn('unshare', ['--net', ...inside], { ...options, env: { ...env, PATH: path } })
}
