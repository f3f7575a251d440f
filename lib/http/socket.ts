import { chmodSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { hasNoRoom } from '../disk-full.ts'
import { Failure, messageOf } from '../errors.ts'
import type { ControlOptions } from './controlled.ts'
import { createControlServer } from './server.ts'

/**
 * Serves the control plane on a socket that only its owner may open: the permissions of the file are the authorisation.
 * Replaces a socket that a dead process left behind. Fails with `another-writer` if the socket answers, because another
 * daemon uses this state directory.
 */
export async function serveControl(
  options: ControlOptions & { readonly file: string },
): Promise<{ close(): Promise<void> }> {
  const { file } = options
  if (await answers(file)) {
    throw new Failure('another-writer', `another daemon uses this state directory: ${file} answers`)
  }
  rmSync(file, { force: true })
  const server = createControlServer(options)
  try {
    await server.listen({ path: file })
  } catch (cause) {
    const reason = messageOf(cause)
    throw new Failure(hasNoRoom(cause) ? 'disk-full' : 'state-dir-unusable', `${file}: ${reason}`, { cause })
  }
  chmodSync(file, 0o600)
  return { close: () => server.close() }
}

function answers(file: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(file)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
