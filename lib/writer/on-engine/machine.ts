import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that makes claims, as others see it. */
export type Claimant = {
  /** No other process ever has it. */
  readonly id: string
  /**
   * Where the machine-wide claim of `lib/writer.ts` excludes others: one boot of one machine, and one network namespace
   * there. A claim on the engine from the same place, by another process, is that of a dead one.
   */
  readonly machine: string
  /** For people: `pid 71 on node-3`. */
  readonly who: string
}

/** Returns this process. If it cannot tell where it runs, no other process counts as being in the same place. */
export function thisProcess(): Claimant {
  return { id: randomUUID(), machine: placeOf() ?? randomUUID(), who: processInWords() }
}

/** Returns where this process is to be found: `pid 71 on node-3`. */
export function processInWords(): string {
  return `pid ${process.pid} on ${hostname()}`
}

function placeOf(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const place = JSON.stringify([boot, readlinkSync('/proc/self/ns/net')])
    return createHash('sha256').update(place).digest('hex').slice(0, 32)
  } catch {
    return undefined
  }
}
