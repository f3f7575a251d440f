import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Failure } from '../../../errors.ts'
import { lentShell, lentSignals, lentState } from '../../../state/application/container/lent-shell.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { filesUpTo, firstEntry, openArchive, unpackInto } from '../files/archive.ts'
import { defaultSignals } from './default-signals.ts'
import { needsLoader } from './elf.ts'

/** Where the image of a sandbox has its shell. */
const place = '/bin/busybox'

/**
 * Puts the shell of a sandbox into a container of its instance, which does not run yet, so that it can run programs
 * around its main one whatever its image has (C13). Fails with `files-refused` if the image of the sandbox has no such
 * shell, or one that would not run in another file system.
 */
export async function lendShell(
  client: Client,
  { sandbox, container }: { readonly sandbox: string; readonly container: string },
  signal: AbortSignal,
): Promise<void> {
  const shell = await programIn(client, sandbox, signal)
  if (shell === undefined || needsLoader(shell))
    throw new Failure(
      'files-refused',
      `${client.site}: ${container}: the image of its sandbox has no ${place} that is linked statically, which its event handlers need`,
      {
        resource: container,
        hint: 'Set "sandbox: {image: busybox:stable}" in tallyman.yaml, or an image like it.',
      },
    )
  const { pack } = await import('tar-stream')
  const archive = pack()
  archive.entry({ name: posix.basename(lentShell), mode: 0o755 }, shell)
  const signals = defaultSignals(shell)
  if (signals !== undefined) archive.entry({ name: posix.basename(lentSignals), mode: 0o755 }, signals)
  archive.entry({ name: posix.basename(posix.dirname(lentState)), type: 'directory', mode: 0o1777 })
  archive.finalize()
  const answer = await unpackInto(client, container, posix.dirname(lentShell), await buffer(archive), signal)
  if (!answer.ok) throw refused(client.site, `${container}: ${lentShell}`, answer)
}

async function programIn(client: Client, sandbox: string, signal: AbortSignal): Promise<Buffer | undefined> {
  const answer = await openArchive(client, sandbox, place, signal)
  if (!answer.ok && answer.status === 404) return undefined
  if (!answer.ok) throw refused(client.site, `${sandbox}: ${place}`, answer)
  return (await firstEntry(client.site, answer.body, filesUpTo(mostBytes), signal))?.content
}

/** A busybox has one or two million bytes. */
const mostBytes = 16 * 1024 * 1024
