import { chmodSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, messageOf } from '../errors.ts'
import { hasNoRoom } from '../file/disk-full.ts'
import { type FileMark, fileMarkOf, whyGone } from '../file/file-mark.ts'
import { isListening } from '../is-listening.ts'
import type { ControlOptions } from './controlled.ts'
import { createControlServer } from './server.ts'

export type ControlSocket = {
  /** The socket, by which a replaced one is known. */
  readonly mark: FileMark
  close(): Promise<void>
}

/** The longest path by which a socket can be opened, in bytes. */
const longestPath = 107

/**
 * Serves the control plane on a socket that only its owner may open: the permissions of the file are the authorisation.
 * Replaces a socket that a dead process left behind. Fails with `another-writer` if the socket answers, because another
 * daemon uses this state directory, and with `state-dir-unusable` if nobody could open it by that path.
 */
export async function serveControl(
  options: ControlOptions & { readonly file: string },
): Promise<ControlSocket> {
  const { file } = options
  const bytes = Buffer.byteLength(file)
  // It is made under a shorter name, so that the system would not say so.
  if (bytes > longestPath)
    throw new Failure(
      'state-dir-unusable',
      `${file}: a path of ${bytes} bytes is too long for a socket, which has ${longestPath} at most`,
    )
  if (await isListening(file)) {
    throw new Failure('another-writer', `another daemon uses this state directory: ${file} answers`)
  }
  // A server removes what has the name it was given when it closes, which by then may be the socket of another daemon.
  const made = join(dirname(file), `.${process.pid}`)
  for (const path of [made, file]) rmSync(path, { force: true })
  const server = createControlServer(options)
  try {
    await server.listen({ path: made })
    chmodSync(made, 0o600)
    renameSync(made, file)
  } catch (cause) {
    await server.close()
    const reason = messageOf(cause)
    throw new Failure(hasNoRoom(cause) ? 'disk-full' : 'state-dir-unusable', `${file}: ${reason}`, { cause })
  }
  const mark = fileMarkOf(file)
  return {
    mark,
    async close() {
      if (whyGone(mark) === undefined) rmSync(file, { force: true })
      await server.close()
    },
  }
}
