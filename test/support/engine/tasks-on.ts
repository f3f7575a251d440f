import { engineCall, engineGet } from './engine-call.ts'

/** A container that runs on an engine, made by whomever: by Tallyman on a host, or by the Swarm that it is a node of. */
export type RunningContainer = { readonly id: string; readonly env: readonly string[] }

/** The containers that run images whose names begin so, by their ids. */
export async function runningFrom(socket: string, prefix: string): Promise<readonly RunningContainer[]> {
  const all: readonly { readonly Id: string; readonly Image: string }[] = JSON.parse(
    JSON.stringify(await engineGet(socket, '/containers/json')),
  )
  const own = all.filter(({ Image }) => Image.startsWith(`${prefix}/`)).map(({ Id }) => Id)
  const found = await Promise.all(own.toSorted().map(id => inspected(socket, id)))
  return found.filter(one => one !== undefined)
}

/** The same on several engines, one after the other. */
export async function runningFromAny(
  sockets: readonly string[],
  prefix: string,
): Promise<readonly RunningContainer[]> {
  return (await Promise.all(sockets.map(socket => runningFrom(socket, prefix)))).flat()
}

/** One may have ended since. */
async function inspected(socket: string, id: string): Promise<RunningContainer | undefined> {
  const answer = await engineCall(socket, 'GET', `/containers/${id}/json`)
  if (answer.status !== 200) return undefined
  const { Config }: { readonly Config: { readonly Env: readonly string[] | null } } = JSON.parse(
    answer.body.toString(),
  )
  return { id, env: Config.Env ?? [] }
}
