import { mkdir } from 'node:fs/promises'
import { tooFewFiles } from '../../lib/daemon/open-files.ts'

/** `nobody` on every Linux. */
const ordinary = 65_534
/** Where root has its locks. */
const locks = '/run/tallyman'

/**
 * Returns whose processes a daemon over so many sites and its engines are: an ordinary user's if root, who keeps a file
 * more open for each site, may not open as many; undefined: those of this user. Throws if nobody may.
 */
export async function userFor(sites: number, mostFiles: number | undefined): Promise<number | undefined> {
  if (tooFewFiles(sites, mostFiles) === undefined) return undefined
  const tooFew = tooFewFiles(sites, mostFiles, false)
  if (tooFew !== undefined) throw new Error(tooFew)
  // It is root's, so that the user has no locks there, whoever may write to /run.
  await mkdir(locks, { recursive: true })
  return ordinary
}

/**
 * Returns the arguments of `setpriv` for a process that ends with this one. As another user it may still read what this
 * user can, such as the code in a private directory.
 */
export function asUser(user: number | undefined): readonly string[] {
  const dying = ['--pdeathsig', 'KILL']
  if (user === undefined) return dying
  const rights = ['--inh-caps', '-all,+dac_read_search', '--ambient-caps', '-all,+dac_read_search']
  // A process that becomes another user's loses the signal that it would get.
  return ['--reuid', String(user), '--regid', String(user), '--clear-groups', ...rights, 'setpriv', ...dying]
}
