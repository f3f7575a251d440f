import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { Config } from '../config.ts'
import { onceFor } from '../memo/once-for.ts'
import { sumOf } from '../numbers.ts'

/** How many environments a daemon has on how many sites, and how many loops: one for each environment on each of its sites. */
export type Extent = { readonly environments: number; readonly sites: number; readonly loops: number }

/**
 * Returns the extent of what is configured. Two environments of one name count for each site that names either, because
 * only the repository tells them apart.
 */
export const extentOf: (config: Pick<Config, 'environments' | 'sites'>) => Extent = onceFor(
  ({ environments, sites }: Pick<Config, 'environments' | 'sites'>) => {
    const names: readonly (string | undefined)[] = environments.length === 0 ? [undefined] : environments
    const loopsOn = ({ environments: named }: Config['sites'][number]) =>
      names.filter(
        name =>
          name === undefined ||
          named === undefined ||
          named.some(written => posix.basename(written) === posix.basename(name)),
      ).length
    return {
      environments: names.length,
      sites: sites.length,
      loops: sumOf(sites, loopsOn),
    }
  },
)

/**
 * What a daemon keeps open for each environment on each site: the stream of its events, and the socket that claims it
 * among the processes of this machine.
 */
const eachLoop = 2
/** What it opens besides: the journal, the control socket, git, registries, what containers write, and all pulls. */
const besides = 200
/** Calls to one site at the same time, at its first look. */
const callsOfSite = 16
/** So many calls at the same time are enough for any number of sites: with fewer files, they wait for one another. */
const leastCalls = 512

/** Returns what to say if a process may not open as many files as its sites need; undefined if it may. */
export function tooFewFiles(extent: Extent, most: number | undefined): string | undefined {
  const { environments, sites } = extent
  const needed = kept(extent) + callsFor(sites)
  if (most === undefined || most >= needed) return undefined
  const [all, may, need] = [sites, most, needed].map(count => count.toLocaleString('en'))
  const what = environments === 1 ? `${all} sites` : `${environments} environments on ${all} sites`
  return `${what} need about ${need} open files, and this process may open ${may}: raise LimitNOFILE of its unit, --ulimit nofile of its container, or ulimit -n`
}

/** Returns what says so each time that other sites are configured, unless it was just said of as many. */
export function createFilesWarning(
  most: number | undefined,
  warn: (message: string) => void,
): (extent: Extent) => void {
  let told: string | undefined
  return extent => {
    const tooFew = tooFewFiles(extent, most)
    if (tooFew !== undefined && tooFew !== told) warn(tooFew)
    told = tooFew
  }
}

/**
 * Returns how many connections a process may have open for calls and between them, beside what it keeps open for its
 * sites. Where there are too few files for that, as many as its sites need.
 */
export function spareFiles(extent: Extent, most: number | undefined): number {
  if (most === undefined) return Number.POSITIVE_INFINITY
  return Math.max(callsFor(extent.sites), most - kept(extent))
}

function kept({ loops }: Extent): number {
  return besides + loops * eachLoop
}

/**
 * Returns how many connections may wait for the next call, however many files there are: one for each site, and 128
 * beside for the sites that make calls side by side. Each of them takes memory, and much more of it if it is encrypted.
 */
export function waitingConnections(sites: number): number {
  return sites + 128
}

function callsFor(sites: number): number {
  return Math.min(leastCalls, sites * callsOfSite)
}

/** Returns how many files this process may open; undefined where the system does not tell. */
export function mostOpenFiles(): number | undefined {
  try {
    return mostIn(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return undefined
  }
}

/** Reads the soft limit, which Node.js raises to the hard one. Undefined if there is none. */
export function mostIn(limits: string): number | undefined {
  const most = /^Max open files +(\d+)/m.exec(limits)?.[1]
  return most === undefined ? undefined : Number(most)
}
