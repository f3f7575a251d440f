import { readFileSync } from 'node:fs'

/**
 * What a daemon keeps open for each site: the stream of its events, and the socket that claims it among the processes
 * of this machine.
 */
const eachSite = 2
/** What it opens besides: the journal, the control socket, git, registries, what containers write, and all pulls. */
const besides = 200
/** Calls to one site at the same time, at its first look. */
const callsOfSite = 16
/** So many calls at the same time are enough for any number of sites: with fewer files, they wait for one another. */
const leastCalls = 512

/** Returns what to say if a process may not open as many files as its sites need; undefined if it may. */
export function tooFewFiles(sites: number, most: number | undefined): string | undefined {
  const needed = besides + sites * eachSite + callsFor(sites)
  if (most === undefined || most >= needed) return undefined
  const [all, may, need] = [sites, most, needed].map(count => count.toLocaleString('en'))
  return `${all} sites need about ${need} open files, and this process may open ${may}: raise LimitNOFILE of its unit, --ulimit nofile of its container, or ulimit -n`
}

/**
 * Returns how many connections a process may have open for calls and between them, beside what it keeps open for its
 * sites. Where there are too few files for that, as many as its sites need.
 */
export function spareFiles(sites: number, most: number | undefined): number {
  if (most === undefined) return Number.POSITIVE_INFINITY
  return Math.max(callsFor(sites), most - besides - sites * eachSite)
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
