import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { engineCall } from './engine-call.ts'

/**
 * The lines of a file in the volumes of this name that engines of this machine have, one engine after the other. Read where
 * the engine keeps them, because none of its containers may have the volume just now. Needs root.
 */
export async function writtenOn(
  sockets: readonly string[],
  volume: string,
  file: string,
): Promise<readonly string[]> {
  const all = await Promise.all(
    sockets.map(async socket => {
      const answer = await engineCall(socket, 'GET', `/volumes/${volume}`)
      if (answer.status === 404) return ''
      const { Mountpoint }: { readonly Mountpoint: string } = JSON.parse(answer.body.toString())
      return readFile(join(Mountpoint, file), 'utf8')
    }),
  )
  return all.flatMap(text => text.split('\n').filter(line => line !== ''))
}
