import { posix } from 'node:path'
import type { SoughtProgram } from '../../../plan/step/host-step.ts'
import { isWithin } from '../../../text/in-directory.ts'
import type { Client } from '../../api/client.ts'
import { filesUpTo, firstEntry, openArchive } from './archive.ts'
import { type PathStat, statAnswer } from './path-stat.ts'

/** As many links as the kernel follows on one way. */
const mostLinks = 40

/** What a running container has there is not what its image has there. */
const ofEngine: readonly string[] = ['/proc', '/sys', '/dev', '/.tallyman']

/**
 * Returns what an image lacks for a program to run: `has no program /bin/main`. Undefined if it has the program, and also
 * if nobody can know: below a mount there may be anything, and so there may be where a link leads to nothing. The image is
 * looked into by the container of that name, which is never started.
 */
export async function lackOfProgram(
  client: Client,
  container: string,
  { name, paths, mounted }: SoughtProgram,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Most programs are where they are looked for first.
  for (const path of paths) {
    const stat = await statAnswer(client, container, path, signal)
    if (stat.ok && isProgram(stat.body)) return undefined
  }
  let lack = `has no program ${name}${paths.length === 1 ? '' : ` in ${paths.map(posix.dirname).join(':')}`}`
  for (const path of paths) {
    const end = await endOf(client, container, path, [...mounted, ...ofEngine], signal)
    if (end === 'away' || (end !== undefined && isProgram(end))) return undefined
    if (end?.isDirectory) lack = `has a directory at ${path}, and no program`
    else if (end !== undefined) lack = `has a file at ${path} that nobody may execute`
  }
  return lack
}

function isProgram({ isDirectory, isExecutable, linkTarget }: PathStat): boolean {
  return !isDirectory && isExecutable && linkTarget === ''
}

/**
 * Returns what is at the end of a way, undefined if there is nothing. `away`: the way ends outside of what the image tells,
 * which is below one of those paths, at a link to nothing, or after too many links. It is gone step by step as the kernel
 * goes it, because engines say only where it ends.
 */
async function endOf(
  client: Client,
  container: string,
  path: string,
  away: readonly string[],
  signal: AbortSignal,
): Promise<PathStat | 'away' | undefined> {
  let ahead = partsOf(path)
  let at = ''
  let isPastLink = false
  for (let links = 0; links <= mostLinks; ) {
    const [next, ...behind] = ahead
    if (next === undefined) return 'away'
    const here = posix.resolve('/', at, next)
    if (away.some(one => isWithin(here, one))) return 'away'
    const stat = await statAnswer(client, container, here, signal)
    if (!stat.ok) return stat.status === 404 && !isPastLink ? undefined : 'away'
    if (stat.body.linkTarget === '') {
      if (behind.length === 0) return stat.body
      at = here
      ahead = behind
      continue
    }
    links += 1
    const target = await linkAt(client, container, here, signal)
    if (target === undefined) return 'away'
    isPastLink ||= behind.length === 0
    ahead = [...partsOf(target), ...behind]
    if (target.startsWith('/')) at = ''
  }
  return 'away'
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter(part => part !== '')
}

/** Returns what a link says; undefined if nobody tells. */
async function linkAt(
  client: Client,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await openArchive(client, container, path, signal)
  if (!answer.ok) return undefined
  const entry = await firstEntry(client.site, answer.body, filesUpTo(0), signal)
  return entry?.header.linkname || undefined
}
