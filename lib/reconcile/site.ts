import type { Engine, EngineInfo } from '../engine.ts'
import { Failure } from '../errors.ts'

/**
 * An engine that answers; with one site that one, answering or not. Images are resolved through it. Fails with
 * `config-invalid` where two sites are one engine: each would remove what the other makes.
 */
export async function reachableEngine(engines: readonly Engine[], signal: AbortSignal): Promise<Engine> {
  const [first, ...others] = engines
  if (first === undefined) throw new Failure('config-invalid', 'no site runs this environment')
  if (others.length === 0) return first
  const answers = await Promise.allSettled(engines.map(engine => engine.info(signal)))
  const reachable = engines.flatMap((engine, index) => {
    const answer = answers[index]
    return answer?.status === 'fulfilled' ? [{ engine, info: answer.value }] : []
  })
  refuseOneEngine(reachable)
  return reachable[0]?.engine ?? first
}

type Reached = { readonly engine: Engine; readonly info: EngineInfo }

function refuseOneEngine(reached: readonly Reached[]): void {
  for (const [index, { engine, info }] of reached.entries()) {
    const twin = reached.slice(0, index).find(other => isSame(other.info, info))
    if (twin === undefined) continue
    throw new Failure(
      'config-invalid',
      `sites: "${twin.engine.site}" and "${engine.site}" are the same engine, ${info.id} on ${info.host}`,
      { hint: 'Keep one of the two sites, or give the other one the endpoint of another engine.' },
    )
  }
}

/** Machines that were copied from one image have engines of one id, and names of their own. */
function isSame(one: EngineInfo, other: EngineInfo): boolean {
  return one.id === other.id && one.host === other.host
}
