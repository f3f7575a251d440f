import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** What a process has used, as it reports it itself. */
export type Usage = {
  /** The processor time of all its threads since its start. */
  readonly processorMs: number
  /** The longest turn of the event loop since the last report. */
  readonly turnMs: number
  /** Resident memory now, and at most since the process started or somebody reset it. */
  readonly bytes: number
  readonly mostBytes: number
}

/** Loaded into a process with `--import`: answers every message on its IPC channel with its usage. */
const resolutionMs = 10
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
delay.enable()
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const most = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  const usage: Usage = {
    processorMs: (user + system) / 1_000,
    turnMs: Math.max(0, delay.max / 1e6 - resolutionMs),
    bytes: process.memoryUsage.rss(),
    mostBytes: Number(most) * 1_024,
  }
  delay.reset()
  process.send?.(usage)
})
process.channel?.unref()
