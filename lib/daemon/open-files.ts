import { readFileSync } from 'node:fs'

/**
 * What a daemon keeps open for each site: a stream of events, two connections for the next calls, and the lock of its
 * claim. The rest is for the first look, which uses up to sixteen connections at once on some sites.
 */
const eachSite = 8
/** What it opens besides: the journal, the control socket, git, registries. */
const besides = 100

/** Returns what to say if a process may not open as many files as its sites need; undefined if it may. */
export function tooFewFiles(sites: number, most: number | undefined): string | undefined {
  const needed = besides + sites * eachSite
  if (most === undefined || most >= needed) return undefined
  const [all, may, need] = [sites, most, needed].map(count => count.toLocaleString('en'))
  return `${all} sites need about ${need} open files, and this process may open ${may}: raise LimitNOFILE of its unit, --ulimit nofile of its container, or ulimit -n`
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
