import type { Identity } from '../../state/identity.ts'
import type { ServiceMark } from '../../state/running/live.ts'
import type { ToldService } from '../api/service.ts'
import { serviceMarkOf } from './mark.ts'

/** The marks of the services of one environment by their ids, each with the version that it was computed of. */
type KeptMarks = ReadonlyMap<string, { readonly version: string; readonly mark: ServiceMark }>

/** Returns the mark of each of the services of an environment, by id. */
export type MarkServices = (
  owner: Identity,
  services: readonly ToldService[],
  key: Buffer,
) => ReadonlyMap<string, ServiceMark>

/**
 * Returns what computes marks once for each version of a service: most of a pass without changes would be spent on them.
 * What is not told any more is forgotten.
 */
export function keepMarks(): MarkServices {
  const kept = new Map<string, KeptMarks>()
  return ({ environment, source }, services, key) => {
    const owner = JSON.stringify([environment, source])
    const before = kept.get(owner)
    const now: KeptMarks = new Map(
      services.map(service => {
        const { ID, Spec } = service
        const [version, known] = [versionOf(service), before?.get(ID)]
        return [ID, known?.version === version ? known : { version, mark: serviceMarkOf(Spec, key) }]
      }),
    )
    kept.set(owner, now)
    return new Map([...now].map(([id, { mark }]) => [id, mark]))
  }
}

/** A manager that was brought back from a backup may tell another specification under a number that it told before. */
function versionOf({ Version: { Index }, UpdatedAt = '' }: ToldService): string {
  return `${Index} ${UpdatedAt}`
}
