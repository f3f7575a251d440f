import type { Engine, EngineInfo } from '../engine.ts'
import { Failure } from '../errors.ts'

/**
 * Returns an engine that answers, through which images are resolved. A single site is returned without asking it. Fails
 * with `config-invalid` if two sites are the same engine, because each would remove what the other creates.
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

/** Machines that were copied from one image have engines with the same id, but different names. */
function isSame(one: EngineInfo, other: EngineInfo): boolean {
  return one.id === other.id && one.host === other.host
}
